import ModelCache
import ModelRecord
import ModelWire

extension Replica {
    /// Takes one reply from a sender's control connection. Any bytes are acceptable.
    public func receiveControl(_ sender: SenderID, _ payload: Span<UInt8>, now: Moment) {
        do throws(WireError) {
            switch try ControlReply(decoding: payload, limits: configuration.limits) {
            case .welcome(_, let version, let name, let endpoint, let heartbeat, _, let heads):
                welcomed(
                    sender, version: version, name: name, streamEndpoint: endpoint, heartbeatMilliseconds: heartbeat,
                    now: now)
                for heads in heads { sessions[sender.index].origins.insert(heads.origin) }
            case .records(let rid, let type, let records):
                receiveRecords(sender, rid: rid, type: type, records: records, now: now)
            case .complete(let rid, let heads): receiveComplete(sender, rid: rid, heads: heads, now: now)
            case .error(let rid, let code, let message):
                receiveError(sender, rid: rid, code: code, message: message, now: now)
            case .frame, .gone, .digests, .accepted, .unknown: counters[.unknownKinds] += 1
            }
        } catch {
            dropMalformed(sender, error)
        }
    }

    /// The request is the sender's snapshot, or a repair that it was asked for.
    private func isUnderWay(_ rid: UInt64, _ sender: SenderID) -> Bool {
        if case .snapshot(rid) = sessions[sender.index].phase { return true }
        return repairedStream(rid) != nil
    }

    private func receiveRecords(
        _ sender: SenderID, rid: UInt64, type: String, records: [Record], now: Moment
    ) {
        guard isUnderWay(rid, sender) else { return }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        let timeout = greetingTimeout(3)
        if case .snapshot = sessions[sender.index].phase {
            sessions[sender.index].deadline = now.uptimeMicroseconds + timeout
        } else if let key = repairedStream(rid) {
            streams[key]?.repair?.dueAt = now.uptimeMicroseconds + timeout
        }
        let accepted = records.filter { record in
            let greatest = max(record.touched?.stamp ?? 0, record.floor?.stamp ?? 0)
            return !isTooFarAhead(greatest, now: now)
        }
        counters[.clockRejectedRecords] += UInt64(records.count - accepted.count)
        counters[.snapshotRecords] += UInt64(accepted.count)
        let (_, summary) = cache.commit { commit in
            for record in accepted { commit.join(record, type: type) }
        }
        counters[.conflictingCells] += UInt64(summary.conflictingCells)
        send(.credit(rid: rid, count: 1), to: sender)
    }

    private func receiveComplete(_ sender: SenderID, rid: UInt64, heads: [Heads], now: Moment) {
        guard isUnderWay(rid, sender) else { return }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        let repaired = repairedStream(rid)
        for told in heads {
            for head in told.heads where isWanted(head.topic) {
                cover(
                    StreamKey(origin: told.origin, topic: head.topic), incarnation: told.incarnation,
                    sequence: head.sequence, sender: sender, now: now)
            }
        }
        if let repaired {
            finishRepair(repaired, now: now)
        } else {
            becomeLive(sender, now: now)
        }
    }

    /// A snapshot holds everything of a stream up to `sequence`.
    private func cover(
        _ key: StreamKey, incarnation: UInt64, sequence: UInt64, sender: SenderID, now: Moment
    ) {
        if let type = key.topic.type { originsByType[type, default: []].insert(key.origin) }
        guard meet(key, incarnation: incarnation, sender: sender, now: now) else { return }
        streams[key]?.tracker.cover(through: sequence)
        apply(groups.covered(key.topic, origin: key.origin))
        watchForHole(key, finding: .headBeyondApplied, now: now)
    }

    private func becomeLive(_ sender: SenderID, now: Moment) {
        sessions[sender.index].enter(.synced, at: now.uptimeMicroseconds, timeout: nil)
        sessions[sender.index].isStale = false
        sessions[sender.index].wasLive = true
        sessions[sender.index].attempts = 0
        sessions[sender.index].lastError = nil
        for key in streams.keys where streams[key]?.sender == sender {
            streams[key]?.since = now.uptimeMicroseconds
            watchForHole(key, finding: .batchBeyondNext, now: now)
        }
        let models = cache.types.reduce(0) { $0 + cache.count(of: $1) }
        notice(.senderLive, ["sender": label(sender), "models": "\(models)"])
    }

    private func receiveError(
        _ sender: SenderID, rid: UInt64, code: ControlErrorCode, message: String, now: Moment
    ) {
        counters[.errorsReceived] += 1
        sessions[sender.index].lastError = "\(code.rawValue): \(message)"
        let kind: Notice.Kind = code == .version ? .versionMismatch : .senderRefused
        notice(kind, ["sender": label(sender), "code": code.rawValue, "message": message])
    }
}
