import ModelCache
import ModelWire

extension Replica {
    /// Takes note of what a sender says it has sent, and of how its copy's digest reads.
    func receiveHeads(_ sender: SenderID, _ heads: Heads, now: Moment) {
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        if sessions[sender.index].isSynced { sessions[sender.index].lastContact = now.wallMilliseconds }
        guard noteOrigin(heads, of: sender, now: now) else { return }
        sessions[sender.index].ages[heads.origin] = (
            heads.isRelayed ? heads.ageMilliseconds ?? 0 : 0, now.uptimeMicroseconds
        )
        meetLaterStart(heads, sender, now: now)
        for head in heads.heads where isWanted(head.topic) {
            let key = StreamKey(origin: heads.origin, topic: head.topic)
            let isUnmet = streams[key] == nil
            guard let stream = meet(key, incarnation: heads.incarnation, sender: sender, now: now),
                stream.incarnation == heads.incarnation
            else { continue }
            if stream.head(toldBy: sender) != head.sequence {
                stream.note(sender, incarnation: heads.incarnation, head: head.sequence)
                // Digests told before belong to other heads.
                audits.forgetDigests(overlapping: head.topic, type: stream.type, toldBy: sender)
            }
            if isUnmet { takeFormerState(stream, sender, head: head.sequence, now: now) }
            takeWholeIfUnknown(stream, sender, now: now)
            stream.tracker.learn(head: head.sequence)
            watch(stream, finding: .headBeyondApplied, now: now)
        }
        for head in heads.heads {
            // Of what is not followed nothing is remembered.
            guard let digest = head.digest, streams[StreamKey(origin: heads.origin, topic: head.topic)] != nil else {
                continue
            }
            audits.note(digest, of: head.topic, toldBy: sender)
        }
        audit(sender, now: now)
    }

    /// A later start of an origin takes the place of the earlier one on every topic, also on those that it has not
    /// written to: what was missing there is in no replay any more.
    private func meetLaterStart(_ heads: Heads, _ sender: SenderID, now: Moment) {
        let former = latestStarts[heads.origin, default: 0]
        guard heads.incarnation > former else { return }
        latestStarts[heads.origin] = heads.incarnation
        if former > 0 { restartedOrigins.insert(heads.origin) }
        for stream in streamsInOrder
        where stream.key.origin == heads.origin && stream.incarnation < heads.incarnation {
            _ = meet(stream.key, incarnation: heads.incarnation, sender: sender, now: now)
        }
    }

    /// A topic is heard of for the first time, from a sender whose snapshot is long through. Where its origin has
    /// started anew since, or tells it with head 0, it holds what is in no batch.
    func takeFormerState(_ stream: StreamState, _ sender: SenderID, head: UInt64? = nil, now: Moment) {
        let origin = stream.key.origin
        // A batch of the later start may be here before any heads of it.
        let isLater = latestStarts[origin].map { $0 < stream.incarnation } ?? false
        guard sessions[sender.index].isSynced, isLater || head == 0 || restartedOrigins.contains(origin) else { return }
        takeOver(stream, from: sender, now: now)
    }

    func receiveBye(_ sender: SenderID, _ bye: Bye, now: Moment) {
        guard bye.origin == sessions[sender.index].name else { return }
        sessions[sender.index].lastError = "stopped in good order"
        notice(.senderStopped, ["sender": bye.origin])
        loseContact(sender, now: now)
    }
}
