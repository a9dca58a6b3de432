import ModelRecord
import ModelWire

/// The repair of one stream, which waits for its time or is under way.
struct Repair {
    /// The rungs of the ladder, cheapest first. When no sender can serve a rung, the next one is tried.
    enum Rung {
        /// The missing batches.
        case replay
        /// The topic's records.
        case snapshot
    }

    /// The request that is under way to a sender.
    struct Request {
        let rid: UInt64
        let sender: SenderID
        /// The head that the sender had told when it was asked.
        var promised: UInt64 = 0
        /// The sequences asked for, on the rung of replay.
        var range: ClosedRange<UInt64> = 1...1
        /// The sequence of the next frame: a sender sends them in order.
        var expected: UInt64 = 1
        /// The topics asked for, on the rung of snapshot.
        var prefixes: [Topic] = []
        /// The types of which records were rejected for their clocks.
        var rejectedTypes: Set<String> = []
        /// Everything was asked for, as one cut that shows every transaction whole.
        var isWhole = false
        /// The records that become visible in one step; nil where each chunk becomes visible by itself.
        var staging: Staging?
    }

    /// Why a request has brought nothing.
    enum Failure {
        /// Nothing came for too long.
        case silence
        /// The connection is gone.
        case lost
        /// The sender has too much to do.
        case busy
        /// The sender does not have it, or refuses.
        case refused
    }

    /// The next step after a request that has not brought what is missing.
    enum Next: Equatable {
        /// Another sender, or the same one, is asked as soon as may be.
        case ask
        /// All senders begin anew after a pause, which grows with the attempts.
        case pause
        /// Replays are given up, and a snapshot is asked for.
        case fallBack
    }

    /// A sender that may be asked, and what it has told.
    struct Candidate {
        let sender: SenderID
        /// The head that the sender told last of the start that is followed.
        let head: UInt64
        /// The sender is the origin itself.
        let isOrigin: Bool
    }

    var rung: Rung
    let finding: Finding
    /// When the hole was found.
    let foundAt: UInt64
    /// When the next request goes out, or the one under way is given up.
    var dueAt: UInt64
    var request: Request?
    /// How many requests have failed since anything came: each lengthens time-outs and pauses.
    var attempts = 0
    /// The senders that have failed on this rung.
    var failed: Set<SenderID> = []
    /// A sender that was asked since the last round does not have what is missing.
    var hasLacked = false
    /// Every sender that could be asked was asked, and none has what is missing: perhaps no process has it any more.
    var isInVain = false
    /// Replays have brought something.
    var hasReplayed = false
    /// The sequences that stayed malformed: when the replay is through, the topic is taken from a sender's copy.
    var quarantined: Set<UInt64> = []

    /// The way of mending to be counted when a sender's copy has brought what was missing.
    var mendingByCopy: Mending { quarantined.isEmpty ? .snapshot : .quarantine }
    /// The stamp of the transaction that is to become whole.
    var transaction: Stamp?
    /// The sender that tells less than another has claimed; its copy is merged.
    var witness: SenderID?
    /// The sender whose copy was found to differ, which is asked first, and the digests that it had told.
    var compared: (sender: SenderID, digests: [Topic: UInt64])?

    /// Takes note that the request under way has brought nothing, and ends it.
    /// - Parameter askable: the senders that can be asked.
    mutating func fail(_ failure: Failure, askable: [SenderID], at time: UInt64) -> Next {
        if let request { failed.insert(request.sender) }
        (request, dueAt) = (nil, time)
        guard !hasUntried(askable) else { return .ask }
        failed = []
        if failure == .refused, rung == .replay { return .fallBack }
        attempts += 1
        // A request that timed out has waited long enough, so the next one follows without a pause.
        return failure == .busy || failure == .refused ? .pause : .ask
    }

    /// Takes note that the copy of a sender, which has come whole, does not hold what a head has promised. When all
    /// senders have been asked in vain the repair begins again, ever more rarely.
    /// - Parameter askable: the senders that can be asked.
    mutating func lack(at sender: SenderID, askable: [SenderID], at time: UInt64) -> Next {
        failed.insert(sender)
        (dueAt, hasLacked) = (time, true)
        guard !hasUntried(askable) else { return .ask }
        attempts += 1
        (isInVain, hasLacked) = (true, false)
        if finding.isMissingSequences { rung = .replay }
        failed = []
        return .pause
    }

    /// Passes over a sender that may not be asked now. One that has caused too many requests is asked rarely, and would
    /// else keep all others from being asked.
    /// - Returns: whether another is left.
    mutating func passOver(_ sender: SenderID, askable: [SenderID]) -> Bool {
        failed.insert(sender)
        if hasUntried(askable) { return true }
        isInVain = isInVain || hasLacked
        (failed, hasLacked) = ([], false)
        return false
    }

    /// A sender that could be asked has not failed yet.
    private func hasUntried(_ askable: [SenderID]) -> Bool { askable.contains { !failed.contains($0) } }

    /// The sender to ask next: the one that was heard of last, or, when that has failed, another that speaks of the
    /// stream. A sender whose head goes as far as the hole comes first: a relay that misses the same batches cannot
    /// help.
    /// - Parameters:
    ///   - candidates: the senders that can be asked.
    ///   - last: the sender that was heard of last.
    ///   - head: the last known head.
    ///   - isOriginLive: the origin is a sender itself, and contact stands.
    func choose(among candidates: [Candidate], last: SenderID?, head: UInt64, isOriginLive: Bool) -> SenderID? {
        let fresh = candidates.filter { !failed.contains($0.sender) }
        var choice = fresh.isEmpty ? candidates : fresh
        func has(_ sender: SenderID) -> Bool { choice.contains { $0.sender == sender } }
        if let first = compared?.sender ?? witness, has(first) { return first }
        // Where the origin is a sender itself, the heads of other senders cover nothing.
        if rung == .snapshot, isOriginLive, let own = choice.first(where: \.isOrigin) { return own.sender }
        let knowing = choice.filter { $0.head >= head }
        if !knowing.isEmpty { choice = knowing }
        if let last, has(last) { return last }
        return choice.first?.sender
    }

    /// Notes that a sequence stays malformed.
    /// - Returns: false when the sequence was noted before, or too many others are noted that have not come since.
    mutating func quarantine(_ sequence: UInt64, atMost countMax: Int, tracker: SequenceTracker) -> Bool {
        if quarantined.count >= countMax { quarantined = quarantined.filter { !tracker.contains($0) } }
        return quarantined.count < countMax && quarantined.insert(sequence).inserted
    }
}

/// Records of one type, as they came.
typealias RecordChunk = (type: String, records: [CellRecord])

/// Records of a snapshot that are to become visible in one step.
struct Staging {
    private(set) var chunks: [RecordChunk] = []
    private(set) var byteCount = 0

    /// The most bytes that are staged; past it the records become visible as they come.
    static let byteCountMax = 64 << 20

    var isFull: Bool { byteCount > Staging.byteCountMax }

    mutating func add(_ more: [CellRecord], type: String) {
        chunks.append((type, more))
        byteCount += more.reduce(0) { $0 + $1.byteCount }
    }
}

/// The account of one stream's holes: how many were found, and what became of them.
struct RepairAccount {
    var found: UInt64 = 0
    var mended: [Mending: UInt64] = [:]
    var lastFinding: Finding?
    var lastMending: Mending?
    var lastMicroseconds: UInt64?
    var longestStaleMicroseconds: UInt64 = 0
    var quarantined: UInt64 = 0
    /// The sequences that were quarantined last.
    var quarantinedSequences: [UInt64] = []

    static let quarantinedSequencesMax = 16
}
