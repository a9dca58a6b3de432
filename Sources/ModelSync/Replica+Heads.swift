import ModelCache
import ModelWire

extension Replica {
    /// Takes note of what a sender says it has sent, and of how its copy's digest reads.
    func receiveHeads(_ sender: SenderID, _ heads: Heads, now: Moment) {
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        sessions[sender.index].origins.insert(heads.origin)
        for head in heads.heads where isWanted(head.topic) {
            let key = StreamKey(origin: heads.origin, topic: head.topic)
            if let type = head.topic.type { originsByType[type, default: []].insert(heads.origin) }
            guard meet(key, incarnation: heads.incarnation, sender: sender, now: now) else { continue }
            streams[key]?.tracker.learn(head: head.sequence)
            watchForHole(key, finding: .headBeyondApplied, now: now)
            if !heads.isRelayed { audit(key, head: head, now: now) }
        }
    }

    func receiveBye(_ sender: SenderID, _ bye: Bye, now: Moment) {
        guard bye.origin == sessions[sender.index].name else { return }
        sessions[sender.index].lastError = "stopped in good order"
        notice(.senderStopped, ["sender": bye.origin])
        loseContact(sender, now: now)
    }

    /// Compares digests where both copies must be equal: nothing is missing here, nothing is beyond the head,
    /// and no other origin has written the type.
    private func audit(_ key: StreamKey, head: Head, now: Moment) {
        guard let digest = head.digest, let stream = streams[key], !stream.isMending, !stream.holdsOlderIncarnation,
            sessions[stream.sender.index].isSynced, groups.isEmpty,
            stream.tracker.applied == head.sequence,
            let type = head.topic.type, let buckets = head.topic.buckets, originsByType[type]?.count == 1,
            isCovered(head.topic)
        else { return }
        guard cache.digest(of: type, buckets: buckets) != digest else {
            streams[key]?.digestPauseMicroseconds = 0
            return
        }
        guard now.uptimeMicroseconds >= stream.nextDigestRepair else { return }
        counters[.digestMismatches] += 1
        notice(.digestMismatch, ["origin": key.origin, "topic": key.topic.description, "head": "\(head.sequence)"])
        // What a snapshot does not mend is not mended by asking at every heartbeat.
        let pause = min(max(stream.digestPauseMicroseconds * 2, 1_000_000), 60_000_000)
        streams[key]?.digestPauseMicroseconds = pause
        streams[key]?.nextDigestRepair = now.uptimeMicroseconds + pause
        startRepair(key, finding: .digest, now: now)
    }

    /// This replica takes the whole topic, not only a part of its buckets.
    private func isCovered(_ topic: Topic) -> Bool {
        configuration.prefixes.contains { topic.bytes.starts(with: $0) }
    }
}
