/// The beginning of a stream: what its origin had before the first batch that is followed, and what its earlier starts
/// have written.
///
/// No batch brings the beginning, a copy does. The danger is to take it for here too soon, for then it is missing for
/// good and nothing shows it. So only two things end the wait for it: the copy of a sender that says it has the
/// beginning and may say so, or time.
///
/// ```
/// not awaited ──── a later start, or a stream that is met midway ───▶ awaited
///      ▲                                                                 │
///      └── a copy that counts tells the same start, or 30 seconds pass ──┘
/// ```
struct StreamBeginning: Sendable {
    /// The senders that could bring the beginning.
    struct Senders {
        /// A sender that speaks of the stream is live.
        var canBeAsked = false
        /// The first snapshot of a sender that speaks of the stream is on its way.
        var areJoining = false
        /// The origin is a sender itself, connected now or not.
        var includeOrigin = false
        /// The origin is a sender itself, and contact stands.
        var isOriginLive = false
    }

    /// The next step about a beginning that is awaited.
    enum Action: Equatable {
        case wait
        /// The copy of a sender is to be asked for.
        case ask
    }

    /// The time since which a snapshot is awaited that brings the beginning. Nil where none is: the beginning is here,
    /// there is none, or the wait was too long.
    private(set) var awaitedSince: UInt64?
    /// The beginning came from a store, or has been asked for since.
    var isRestored = false

    /// A snapshot is awaited that brings the beginning.
    var isAwaited: Bool { awaitedSince != nil }

    /// How long the sender that has told of a later start may take to give its snapshot before others are asked.
    static let pauseMicroseconds: UInt64 = 2_000_000
    /// How long the beginning is awaited of the origin alone, where that is a sender itself. Then the copies of others
    /// are taken.
    static let patienceMicroseconds: UInt64 = 30_000_000

    /// The stream was met midway, or follows a later start: a copy must bring what was before.
    mutating func begin(at time: UInt64) { awaitedSince = time }

    /// Nothing is awaited any more: the start that needed it is followed no more, or only relays could have it.
    mutating func end() { awaitedSince = nil }

    /// A sender's copy has come, whose heads tell the start that is followed.
    /// - Parameters:
    ///   - word: how far the word of the sender on the origin counts.
    ///   - senders: those that could bring the beginning. Where the origin is among them, the word of others ends no
    ///     wait: it may be a lie, or of a copy that lacks the same.
    /// - Returns: whether that ends the wait.
    mutating func arrive(by word: Replica.Word, _ senders: Senders) -> Bool {
        guard isAwaited else { return false }
        switch word {
        case .own: break
        case .heard where !senders.includeOrigin: break
        case .heard, .ignored: return false
        }
        end()
        return true
    }

    /// Sees to it that a sender is asked, and that the wait ends.
    mutating func review(at time: UInt64, _ senders: Senders) -> Action {
        guard let since = awaitedSince else { return .wait }
        let age = time.subtractingOrZero(since)
        // Where no other sender can be asked, the wait lasts as long as the first snapshot that brings the beginning.
        let isOver = age >= StreamBeginning.patienceMicroseconds && (senders.canBeAsked || !senders.areJoining)
        // The origin may be gone for good.
        if isOver { end() }
        guard senders.canBeAsked else { return .wait }
        // Where the origin is live its snapshot has come, and was of the start before.
        if isOver || senders.isOriginLive { return .ask }
        return age >= StreamBeginning.pauseMicroseconds && !senders.includeOrigin ? .ask : .wait
    }
}
