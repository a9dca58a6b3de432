/// How often each kind of fault was injected into a simulation.
public struct FaultTally: Sendable {
    /// One kind of fault. The raw value is its name in summaries.
    public enum Kind: String, CaseIterable, Sendable {
        case lost = "messages lost"
        case duplicated = "messages doubled"
        case overtaken = "messages out of order"
        case queueFull = "messages dropped by a full queue"
        case malformed = "malformed frames"
        case lastingDamage = "batches that stay malformed"
        case streamReset = "stream resets"
        case controlReset = "control resets"
        case partition = "partitions"
        case crash = "crashes"
        case diskLost = "crashes that lost the disk"
        case tornWrite = "torn writes"
        case stop = "stopped processes"
        case diskFailed = "pushed batches that a disk refused"
        case relayLost = "relays that lost what was pushed"
        case recovery = "publishers that took their models back"
        case clockJump = "clock jumps"
        case clockBeyondLead = "clocks further apart than the allowed lead"
        case lateJoin = "late joins"
        case lie = "lies about others"
        case flood = "heads of very many topics"
        case forgery = "batches and records in the name of others"
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)
    private static let indices = Dictionary(uniqueKeysWithValues: Kind.allCases.enumerated().map { ($1, $0) })

    /// A tally with all counts at zero.
    public init() {}

    /// How often faults of this kind were injected.
    public subscript(kind: Kind) -> Int {
        get { counts[FaultTally.indices[kind] ?? 0] }
        set { counts[FaultTally.indices[kind] ?? 0] = newValue }
    }

    /// The sum over all kinds.
    public var total: Int { counts.reduce(0, +) }

    /// Adds the counts of another simulation.
    public static func += (left: inout FaultTally, right: FaultTally) {
        for index in left.counts.indices { left.counts[index] += right.counts[index] }
    }
}
