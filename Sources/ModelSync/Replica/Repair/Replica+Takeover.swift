import ModelWire

/// What an origin had before its last start is in none of its batches, so it is taken from a snapshot.
extension Replica {
    /// Awaits what the origin had before. While the first snapshot of the sender is under way, that brings it;
    /// afterwards a snapshot is asked for.
    func takeOver(_ stream: StreamState, from sender: SenderID, now: Moment) {
        if !isOnlyPushed(stream.key.origin) {
            stream.takeoverSince = now.uptimeMicroseconds
            list(stream)
        }
        if sessions[sender.index].isSynced { startRepair(stream, finding: .newIncarnation, now: now) }
    }

    /// Sees to it that a sender is asked, and that the wait ends: the origin may be gone for good.
    func reviewTakeover(_ stream: StreamState, _ since: UInt64, now: Moment) {
        let age = now.uptimeMicroseconds.subtractingOrZero(since)
        let canAsk = hasSyncedTeller(stream)
        // Where no other sender can be asked, the wait lasts as long as the first snapshot that brings it.
        let isUnderWay = !canAsk && stream.tellers.contains { sessions[$0.sender.index].isSyncing }
        let isOver = age >= Replica.takeoverMicrosecondsMax && !isUnderWay
        if isOver { stream.takeoverSince = nil }
        guard stream.repair == nil, canAsk else { return }
        let origin = stream.key.origin
        // Where the origin is live its snapshot is here, and was of the start before.
        if isOver || isPresent(origin) || (age >= Replica.takeoverPauseMicroseconds && !hears(origin)) {
            startRepair(stream, finding: .newIncarnation, now: now)
        }
    }

    /// Takes note that batches of this origin are pushed to relays.
    func notePushed(_ origin: String) {
        guard !origins[origin].isPushed else { return }
        origins[origin].isPushed = true
        guard isOnlyPushed(origin) else { return }
        for stream in streams.of(origin: origin) { stream.takeoverSince = nil }
    }

    /// The origin is known by pushes alone. Only the relays that it pushed to have what it had before its last start,
    /// so relays that awaited it would wait for each other.
    func isOnlyPushed(_ origin: String) -> Bool { origins[origin].isPushed && !hears(origin) }

    /// How long the sender that has told of the later start may take to give its snapshot before others are asked.
    static let takeoverPauseMicroseconds: UInt64 = 2_000_000
    /// How long what an origin had is awaited of the origin alone, where it is a sender itself. Then the copies of
    /// others are taken.
    static let takeoverMicrosecondsMax: UInt64 = 30_000_000

    /// The origin is a sender itself, connected now or not.
    func hears(_ origin: String) -> Bool { sessions.contains { $0.name == origin } }

    /// Takes note that a snapshot holds all that these origins had: a sender tells only the origins of which it has
    /// that itself. Where an origin is a sender, the word of others on that counts only once the wait for its own
    /// snapshot has ended: it may be a lie, and what it hides would be missing for good.
    func finishTakeovers(_ heads: [Heads], of sender: SenderID, now: Moment, where isCovered: (Topic) -> Bool) {
        let counting = heads.filter { told in
            switch word(sender, on: told, now: now) {
            case .own: true
            case .heard: !hears(told.origin)
            case .ignored: false
            }
        }
        let told = Dictionary(counting.map { ($0.origin, $0.incarnation) }, uniquingKeysWith: max)
        for stream in unsettled.all where stream.takeoverSince != nil && isCovered(stream.key.topic) {
            guard told[stream.key.origin] == stream.incarnation else { continue }
            stream.takeoverSince = nil
            if let repair = stream.repair, repair.finding == .newIncarnation, repair.request == nil {
                finish(stream, by: .snapshot, now: now)
            }
        }
    }
}
