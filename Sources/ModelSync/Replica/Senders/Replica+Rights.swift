public import ModelGrants
import ModelRecord
import ModelSigning
import ModelWire

/// The rights of senders to speak. Where there are grants, each sender brings what its key was granted: batches, heads
/// and records of the types and origins that it may write, or those of all origins where it is a relay. Everything else
/// is dropped.
extension Replica {
    /// Lets a sender bring only what the owner of its key was granted, from now on. Without this call it may bring
    /// everything. What it has brought already stays: give up the connection to hear it anew.
    public func grant(_ grantee: Grantee, to sender: SenderID) {
        // The sender's word under the former grant is forgotten, so that no report repeats it.
        (sessions[sender.index].origins, sessions[sender.index].ages) = ([], [:])
        sessions[sender.index].rights = SenderRights(of: grantee)
    }

    /// The sender may bring the batch of this stream that the decoder holds, and the batch is signed where it has to
    /// be. Each batch that is refused raises a counter; the log is told of the first, and not of each.
    /// - Parameter verdict: the answer, where the owner has looked at the seal already, on another thread.
    @inline(__always)
    func mayCount(
        _ key: StreamKey, _ payload: Span<UInt8>, _ verdict: SealVerdict? = nil, of sender: SenderID, now: Moment
    ) -> Bool {
        guard sessions[sender.index].isJudged else { return true }
        return isAllowed(key, of: sender) && isGenuine(key, payload, verdict, of: sender, now: now)
    }

    /// The sender may bring the batch of this stream that the decoder holds.
    func isAllowed(_ key: StreamKey, of sender: SenderID) -> Bool {
        guard sessions[sender.index].rights != nil else { return true }
        func isGranted(_ topic: Topic) -> Bool {
            sessions[sender.index].rights?.allows(StreamKey(origin: key.origin, topic: topic)) ?? true
        }
        // A part of a transaction that names what the sender may not bring would be held for what never comes.
        guard let denied = isGranted(key.topic) ? decoder.group.first(where: { !isGranted($0) }) : key.topic else {
            return true
        }
        deny(sender, key.origin, denied.type)
        return false
    }

    /// The heads without the topics that the sender may not tell; nil where it may tell nothing of the origin.
    func allowed(_ told: Heads, of sender: SenderID) -> Heads? {
        guard let rights = sessions[sender.index].rights, !rights.isRelay else { return told }
        guard rights.grantee.rights.maySpeak(for: told.origin) else {
            deny(sender, told.origin, told.heads.first?.topic.type)
            return nil
        }
        func isDenied(_ head: TopicHead) -> Bool {
            !(head.topic.type.map { rights.grantee.rights.maySpeak(for: told.origin, of: $0) } ?? false)
        }
        guard let denied = told.heads.first(where: isDenied) else { return told }
        deny(sender, told.origin, denied.topic.type)
        var heads = told
        heads.heads.removeAll(where: isDenied)
        return heads
    }

    func allowed(_ told: [Heads], of sender: SenderID) -> [Heads] {
        guard let rights = sessions[sender.index].rights, !rights.isRelay else { return told }
        return told.compactMap { allowed($0, of: sender) }
    }

    /// The sender may say that the origin stops.
    func isAllowed(_ bye: Bye, of sender: SenderID) -> Bool {
        guard let rights = sessions[sender.index].rights, !rights.grantee.rights.maySpeak(for: bye.origin) else {
            return true
        }
        deny(sender, bye.origin, nil)
        return false
    }

    /// The records that the sender may bring: each version in them is of an origin that it may be.
    func allowed(_ records: [CellRecord], type: String, of sender: SenderID) -> [CellRecord] {
        guard let rights = sessions[sender.index].rights, !rights.isRelay else { return records }
        return records.filter { record in
            // A record without a version is refused, too: it would create a type of any name.
            let origins = record.origins
            let denied =
                origins.isEmpty
                ? sessions[sender.index].name
                : origins.first { !rights.grantee.rights.maySpeak(for: $0, of: type) }
            if let denied { deny(sender, denied, type) }
            return denied == nil
        }
    }

    /// The sender may hand on what other origins wrote.
    func mayRelay(_ sender: SenderID) -> Bool { sessions[sender.index].rights?.isRelay ?? true }

    /// The sender is the origin of this name, as far as its key may be.
    func isOrigin(_ session: SenderSession, _ name: String) -> Bool {
        session.name == name && (session.rights?.grantee.rights.mayBe(name) ?? true)
    }

    private func deny(_ sender: SenderID, _ origin: String, _ type: String?) {
        counters[.deniedMessages] += 1
        guard let key = sessions[sender.index].rights?.grantee.name else { return }
        let message = "\(key) may not speak for \(origin.shown()) of \(type?.shown() ?? "any type")"
        errors.note("denied message", of: label(sender), message)
        let isNews = sessions[sender.index].rights?.isNews(origin) ?? false
        // The status tells it for as long as the sender goes on.
        guard isNews || sessions[sender.index].lastError == nil else { return }
        sessions[sender.index].lastError = message
        guard isNews else { return }
        notice(
            .denied,
            [
                "sender": label(sender), "key": key, "origin": origin, "type": type ?? "any",
                "advice": "if it should, grant its key publish:\(type ?? "*") origin=\(origin), or relay",
            ])
    }
}
