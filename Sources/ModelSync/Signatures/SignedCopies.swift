import ModelRecord
import ModelWire

/// The last signed heads of each origin and type that the copy here was held against, and the buckets that were not as
/// they say.
struct SignedCopies {
    private struct Name: Hashable {
        let origin: String
        let type: String
    }

    /// Why a copy could not be compared for long.
    enum Overdue {
        /// The origin is heard by somebody, and what it signs did not arrive.
        case sent
        /// The origin only pushes, or relays say so.
        case pushed
        /// The origin is one of which no sender tells anything.
        case untold
    }

    private struct Copy {
        /// The stamp of the last signed heads that were verified, and of the last with which the copy was compared.
        var verified: Stamp = 0
        var compared: Stamp = 0
        /// Since when each bucket is not as its origin has signed it.
        var differing: [Int: UInt64] = [:]
        /// The log was told that the copy holds what is older than what is signed.
        var isOlderTold = false
        /// The log was told that nothing is signed of the copy, as its origin only pushes or nobody tells of it.
        var isTold = false
        /// When the log was told last that some differ.
        var toldAt: UInt64?
        /// Since when the copy was not compared whole; nil where that was not awaited before.
        var awaitedSince: UInt64?
        /// The buckets that were compared since then.
        var comparedBuckets: Set<Int> = []
    }

    private var copies: [Name: Copy] = [:]
    /// How many signed heads the copy was compared with; for tests.
    private(set) var comparisonCount = 0
    /// When the comparisons so far have had their rests.
    private var restedAt: UInt64 = 0

    /// How many origins and types are remembered.
    private static let copyCountMax = 4096
    /// For how long a bucket must differ before it counts: what was lost on the way is mended meanwhile.
    private static let patienceMicroseconds: UInt64 = 60_000_000
    /// The log is told of an origin and type once in this time.
    private static let pauseMicroseconds: UInt64 = 600_000_000
    /// For how long a copy may not be compared whole: five minutes, and as long as a round over many models takes for
    /// each type that its origin signs.
    private static let overdueMicroseconds: UInt64 = 300_000_000
    private static let roundMicroseconds: UInt64 = 130_000_000
    /// The time of the next look at what is overdue.
    private var nextReview: UInt64 = 0
    private static let reviewMicroseconds: UInt64 = 30_000_000
    /// The next bucket that is looked at for origins of which nobody tells, and when.
    private var bucket = 0
    private var nextLook: UInt64 = 0
    private static let lookMicroseconds: UInt64 = 1_000_000
    /// The rest for each model that was looked at: some four times what that takes.
    private static let restMicroseconds: UInt64 = 4
    /// How much rest may be owed: an origin signs its types one after the other, with one heartbeat, and the later ones
    /// would never be compared.
    private static let owedMicroseconds: UInt64 = 8_000

    /// The parts of the copy that were not as their origin had signed them when they were compared last, however short.
    var differing: [String] {
        copies.flatMap { name, copy in copy.differing.keys.map { "\(name.type) \($0) of \(name.origin)" } }.sorted()
    }

    /// The heads may be news: none of the origin and type were verified that are later.
    func isLatest(_ told: SignedHeads) -> Bool {
        told.stamp >= copies[Name(origin: told.origin, type: told.type)]?.verified ?? 0
    }

    /// Takes note that the copy holds what is older than what the origin signs.
    /// - Returns: whether that is news.
    mutating func noteOlder(_ told: SignedHeads) -> Bool {
        let name = Name(origin: told.origin, type: told.type)
        guard !(copies[name]?.isOlderTold ?? false) else { return false }
        copies[name, default: Copy()].isOlderTold = true
        return true
    }

    /// Takes note that the heads are those of their origin.
    /// - Returns: whether they came for the first time.
    mutating func noteVerified(_ told: SignedHeads) -> Bool {
        let name = Name(origin: told.origin, type: told.type)
        makeRoom(for: name)
        guard told.stamp > copies[name]?.verified ?? 0 else { return false }
        copies[name, default: Copy()].verified = told.stamp
        return true
    }

    /// The next look at overdue comparisons is due; takes note that it is made.
    mutating func mayReview(at time: UInt64) -> Bool {
        guard time >= nextReview else { return false }
        nextReview = time + SignedCopies.reviewMicroseconds
        return true
    }

    /// Looks whether the copy of the type could not be compared whole for minutes, or since that was said last.
    /// - Parameter reason: why it is not compared. All but ``Overdue/sent`` is said once. That relays say an origin
    ///   only pushes counts only as long as it has signed nothing of its copy.
    /// - Returns: what is to be told; nil where nothing is.
    mutating func overdue(_ origin: String, _ type: String, _ reason: Overdue, at time: UInt64) -> Overdue? {
        let name = Name(origin: origin, type: type)
        makeRoom(for: name)
        let copy = copies[name] ?? Copy()
        let since = copy.awaitedSince ?? time
        let others = copies.keys.count { $0.origin == origin && $0.type != type }
        let patience = SignedCopies.overdueMicroseconds + UInt64(others) * SignedCopies.roundMicroseconds
        let isOverdue = time >= since + patience
        copies[name, default: Copy()].awaitedSince = isOverdue ? time : since
        guard isOverdue else { return nil }
        if reason == .sent || reason == .pushed && copy.verified > 0 { return .sent }
        copies[name]?.isTold = true
        return copy.isTold ? nil : reason
    }

    /// The next bucket in which to look for origins of which nobody tells; nil where none is due. All 256 take four
    /// minutes.
    mutating func nextBucket(at time: UInt64) -> Int? {
        guard time >= nextLook else { return nil }
        nextLook = time + SignedCopies.lookMicroseconds
        defer { bucket = (bucket + 1) % 256 }
        return bucket
    }

    private mutating func makeRoom(for name: Name) {
        if copies[name] == nil, copies.count >= SignedCopies.copyCountMax { copies.removeAll() }
    }

    /// The copy is to be compared with the heads.
    func mayCompare(_ told: SignedHeads, at time: UInt64) -> Bool {
        restedAt <= time + SignedCopies.owedMicroseconds
            && told.stamp > copies[Name(origin: told.origin, type: told.type)]?.compared ?? 0
    }

    /// Takes note of what a comparison has found.
    /// - Parameters:
    ///   - equal: the buckets that are as the origin has signed them, or cannot be.
    ///   - differing: the other ones.
    ///   - wantedCount: how many buckets of the type are compared at all.
    ///   - modelCount: how many models were looked at.
    /// - Returns: the buckets that have differed for long, and whether the log is to be told.
    mutating func note(
        _ told: SignedHeads, equal: [Int], differing: [Int], of wantedCount: Int, modelCount: Int, at time: UInt64
    ) -> (buckets: [Int], isNews: Bool) {
        restedAt = max(restedAt, time) + UInt64(modelCount) * SignedCopies.restMicroseconds
        comparisonCount += 1
        let name = Name(origin: told.origin, type: told.type)
        var copy = copies[name] ?? Copy()
        copy.compared = told.stamp
        copy.comparedBuckets.formUnion(equal + differing)
        if copy.comparedBuckets.count >= wantedCount { (copy.awaitedSince, copy.comparedBuckets) = (time, []) }
        for bucket in equal { copy.differing[bucket] = nil }
        for bucket in differing where copy.differing[bucket] == nil { copy.differing[bucket] = time }
        let lasting = differing.filter { time >= copy.differing[$0, default: time] + SignedCopies.patienceMicroseconds }
        let isNews = !lasting.isEmpty && copy.toldAt.map { time >= $0 + SignedCopies.pauseMicroseconds } ?? true
        if isNews { copy.toldAt = time }
        copies[name] = copy
        return (lasting, isNews)
    }
}
