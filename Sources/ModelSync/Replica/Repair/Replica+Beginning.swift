import ModelWire

/// The beginning of a stream: what its origin had before its last start. No batch has that, so a snapshot brings it.
extension Replica {
    /// Awaits what the origin had before. While the first snapshot of the sender is under way, that brings it;
    /// afterwards a snapshot is asked for.
    func takeOver(_ stream: StreamState, from sender: SenderID, now: Moment) {
        if !isOnlyPushed(stream.key.origin) {
            stream.beginning.begin(at: now.uptimeMicroseconds)
            list(stream)
        }
        if sessions[sender.index].isSynced { startRepair(stream, finding: .newIncarnation, now: now) }
    }

    /// Sees to it that a sender is asked for a beginning that is awaited, and that the wait ends.
    func reviewBeginning(of stream: StreamState, now: Moment) {
        let action = stream.beginning.review(at: now.uptimeMicroseconds, bringers(of: stream))
        if action == .ask, stream.repair == nil { startRepair(stream, finding: .newIncarnation, now: now) }
    }

    /// The senders that could bring the beginning of a stream.
    private func bringers(of stream: StreamState) -> StreamBeginning.Senders {
        StreamBeginning.Senders(
            canBeAsked: hasSyncedTeller(stream),
            areJoining: stream.tellers.contains { sessions[$0.sender.index].isSyncing },
            includeOrigin: hears(stream.key.origin), isOriginLive: isPresent(stream.key.origin))
    }

    /// Takes note that batches of this origin are pushed to relays.
    func notePushed(_ origin: String) {
        guard !origins[origin].isPushed else { return }
        origins[origin].isPushed = true
        guard isOnlyPushed(origin) else { return }
        for stream in streams.of(origin: origin) { stream.beginning.end() }
    }

    /// The origin is known by pushes alone. Only the relays that it pushed to have what it had before its last start,
    /// so relays that awaited it would wait for each other.
    func isOnlyPushed(_ origin: String) -> Bool { origins[origin].isPushed && !hears(origin) }

    /// The origin is a sender itself, connected now or not.
    func hears(_ origin: String) -> Bool { sessions.contains { isOrigin($0, origin) } }

    /// Takes note that a snapshot holds all that these origins had: a sender tells only the origins of which it has
    /// that itself.
    func finishTakeovers(_ heads: [Heads], of sender: SenderID, now: Moment, where isCovered: (Topic) -> Bool) {
        let words = heads.map { ($0.origin, (start: $0.incarnation, word: word(sender, on: $0, now: now))) }
        let told = Dictionary(words) { $0.start < $1.start ? $1 : $0 }
        for stream in streams.unsettled.all where stream.beginning.isAwaited && isCovered(stream.key.topic) {
            guard let told = told[stream.key.origin], told.start == stream.incarnation,
                stream.beginning.arrive(by: told.word, bringers(of: stream))
            else { continue }
            if let repair = stream.repair, repair.finding == .newIncarnation, repair.request == nil {
                finish(stream, by: .snapshot, now: now)
            }
        }
    }
}
