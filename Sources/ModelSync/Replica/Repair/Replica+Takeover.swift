import ModelWire

/// What an origin had before its last start is in none of its batches: it is taken from a snapshot.
extension Replica {
    /// Awaits it. While the sender's first snapshot is under way that brings it, else one is asked for.
    func takeOver(_ stream: StreamState, from sender: SenderID, now: Moment) {
        if !isOnlyPushed(stream.key.origin) {
            stream.takeoverSince = now.uptimeMicroseconds
            list(stream)
        }
        if sessions[sender.index].isSynced { startRepair(stream, finding: .newIncarnation, now: now) }
    }

    /// Sees to it that somebody is asked, and that it is not awaited for ever: the origin may be gone for good.
    func reviewTakeover(_ stream: StreamState, _ since: UInt64, now: Moment) {
        let age = now.uptimeMicroseconds.subtractingOrZero(since)
        let canAsk = hasSyncedTeller(stream)
        // As long as the snapshot takes that brings it, where nobody else can be asked.
        let isUnderWay = !canAsk && stream.tellers.contains { sessions[$0.sender.index].isSyncing }
        let isOver = age >= Replica.takeoverMicrosecondsMax && !isUnderWay
        if isOver { stream.takeoverSince = nil }
        guard stream.repair == nil, canAsk else { return }
        if isOver || (age >= Replica.takeoverPauseMicroseconds && !hears(stream.key.origin)) {
            startRepair(stream, finding: .newIncarnation, now: now)
        }
    }

    /// Batches of this origin are pushed to relays.
    func notePushed(_ origin: String) {
        guard !origins[origin].isPushed else { return }
        origins[origin].isPushed = true
        guard isOnlyPushed(origin) else { return }
        for stream in streams.of(origin: origin) { stream.takeoverSince = nil }
    }

    /// Nobody has what such an origin had before its last start but those to whom that was pushed: relays would wait
    /// for each other.
    func isOnlyPushed(_ origin: String) -> Bool { origins[origin].isPushed && !hears(origin) }

    /// How long the sender that has told of the later start may take to give its snapshot before others are asked.
    static let takeoverPauseMicroseconds: UInt64 = 2_000_000
    /// How long what an origin had is awaited of nobody but the origin, where it is a sender itself. Then whatever
    /// others have is taken.
    static let takeoverMicrosecondsMax: UInt64 = 30_000_000

    /// The origin is a sender itself, connected now or not.
    func hears(_ origin: String) -> Bool { sessions.contains { $0.name == origin } }

    /// A snapshot holds all that these origins had: each sender tells only of those of which it has that itself.
    func finishTakeovers(_ heads: [Heads], now: Moment, where isCovered: (Topic) -> Bool) {
        let told = Dictionary(heads.map { ($0.origin, $0.incarnation) }, uniquingKeysWith: max)
        for stream in unsettled.all where stream.takeoverSince != nil && isCovered(stream.key.topic) {
            guard told[stream.key.origin] == stream.incarnation else { continue }
            stream.takeoverSince = nil
            if let repair = stream.repair, repair.finding == .newIncarnation, repair.request == nil {
                finish(stream, by: .snapshot, now: now)
            }
        }
    }
}
