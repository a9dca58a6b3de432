@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

extension Replica {
    /// Takes one reply from a sender's control connection. Any bytes are acceptable.
    public func receiveControl(_ sender: SenderID, _ payload: Span<UInt8>, now: Moment) {
        defer { if isLimited { enforceLimits(now: now) } }
        do throws(WireError) {
            switch try ControlReply(decoding: payload, limits: configuration.limits) {
            case .welcome(_, let version, let name, let endpoint, let heartbeat, let frameLimit, let heads, _):
                sessions[sender.index].frameByteCount = Int(clamping: frameLimit)
                welcomed(
                    sender, version: version, name: name, streamEndpoint: endpoint, heartbeatMilliseconds: heartbeat,
                    now: now)
                noteOrigins(allowed(heads, of: sender), of: sender, now: now)
            case .records(let rid, let type, let records):
                receiveRecords(sender, rid: rid, type: type, records: records, goesOn: false, now: now)
            case .part(let rid, let type, let record):
                receiveRecords(sender, rid: rid, type: type, records: [record], goesOn: true, now: now)
            case .complete(let rid, let heads):
                receiveComplete(sender, rid: rid, heads: allowed(heads, of: sender), now: now)
            case .error(let rid, let code, let message):
                receiveError(sender, rid: rid, code: code, message: message, now: now)
            case .frame(let rid, let topic, let batch):
                receiveFrame(sender, rid: rid, topic: topic, batch: batch, now: now)
            case .gone(let rid, _): receiveGone(sender, rid: rid, now: now)
            case .digests(let rid, let heads, let digests):
                receiveDigests(
                    sender, rid: rid, heads: allowed(heads, of: sender), digests: digests, now: now)
            case .accepted, .evicted, .unknown: counters[.unknownKinds] += 1
            }
        } catch {
            // Nothing is heard of a sender that goes on so, and nothing else would tell why.
            let session = sessions[sender.index]
            if !session.isSynced, session.lastError != error.description {
                notice(
                    .unreadable,
                    [
                        "sender": label(sender), "reason": error.description,
                        "advice": "see whether a publisher or relay of this protocol listens there",
                    ])
            }
            dropMalformed(sender, error)
        }
    }

    /// Makes the sender live: from now on its streams may be repaired.
    /// - Parameter copy: the heads of the sender's snapshot, which is complete. Without one its streams go on from the
    ///   restored state.
    func becomeLive(_ sender: SenderID, copy: [Heads]?, now: Moment) {
        let starts = copy.map { heads in Dictionary(heads.map { ($0.origin, $0.incarnation) }, uniquingKeysWith: max) }
        sessions[sender.index].handShake.becomeLive(at: now.uptimeMicroseconds)
        fetches.forgetLost()
        sessions[sender.index].lastError = nil
        applyLeases(now: now)
        if sessions.allSatisfy(\.isSynced) { cache.noteIDsKnown() }
        for stream in streams.inOrder() where stream.tellers.contains(where: { $0.sender == sender }) {
            stream.since = now.uptimeMicroseconds
            let isOlder = starts.map { isCopyOlder($0[stream.key.origin], stream) } ?? false
            if isOlder { startRepair(stream, finding: .newIncarnation, now: now) }
            if let repair = stream.repair, repair.request == nil {
                // The sender's first snapshot is as good as the one that the repair would ask for.
                let isMended =
                    copy != nil && !isOlder && !stream.tracker.hasHole && !stream.beginning.isAwaited
                if isMended, askable(stream, repair).contains(sender) {
                    finish(stream, by: repair.mendingByCopy, now: now)
                } else {
                    stream.repair?.dueAt = now.uptimeMicroseconds
                }
            }
            noticeHole(stream, finding: .batchBeyondNext, now: now)
        }
        // The snapshot may have ended the waiting of all its streams.
        streams.unsettled.settle()
        reviewStaleness(now: now)
        let models = cache.types.reduce(0) { $0 + cache.count(of: $1) }
        notice(.senderLive, ["sender": label(sender), "models": "\(models)"])
        driveRenewal(now: now)
    }

    /// The copy of a sender is of an earlier start of a job than is followed: that has begun anew while the copy was
    /// under way, and what was lost of the earlier start meanwhile is in no batch. Of other origins the beginning is
    /// awaited.
    private func isCopyOlder(_ start: UInt64?, _ stream: StreamState) -> Bool {
        stream.holdsOlderIncarnation && isOnlyPushed(stream.key.origin) && start ?? 0 < stream.incarnation
    }

    private func receiveGone(_ sender: SenderID, rid: UInt64, now: Moment) {
        guard let stream = repairing(rid, sender), stream.repair?.rung == .replay else { return }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        refusedReplay(stream, now: now)
    }

    private func receiveError(
        _ sender: SenderID, rid: UInt64, code: ControlErrorCode, message: String, now: Moment
    ) {
        counters[.errorsReceived] += 1
        errors.note("refused by it: \(code.rawValue.shown())", of: label(sender), message)
        if code == .version {
            if sessions[sender.index].handShake.refuseVersion(configuration.versions) { return greet(sender, now: now) }
            tellVersion(sender, message, name: label(sender))
        } else {
            sessions[sender.index].lastError = "\(code.rawValue): \(message)"
            notice(.senderRefused, ["sender": label(sender), "code": code.rawValue, "message": message])
        }
        if let stream = repairing(rid, sender) {
            fail(stream, code == .busy ? .busy : .refused, now: now)
            advance(stream, now: now)
        } else if case .audit(let type)? = requests.purpose(of: rid, at: sender) {
            requests.end(rid)
            endAudit(of: type, now: now)
        } else if case .fetch(let number)? = requests.purpose(of: rid, at: sender) {
            failFetch(number, rid: rid, of: sender, isTooLarge: code == .limit, now: now)
        } else if renewal?.isRequest(rid, sender) ?? false {
            renewal?.lose(sender, retryAt: now.uptimeMicroseconds + configuration.repairPauseMicroseconds)
        }
    }
}
