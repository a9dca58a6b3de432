/// A scenario that can be measured on its own. The cases stand in the order in which they are measured.
public enum BenchScenario: String, Codable, Sendable, CaseIterable {
    case throughput
    case latency
    case reads
    case fields
    case recovery
    case observer
    case join
    case fetch
    case warmStart = "warm-start"
    case push
    case relay
    case models
    case memory
    case growth
    case observers
    case snapshot
    case limits
    case leases
    case fanout
    case mixed
    case peers

    /// The scenarios that need no other programs.
    public static let unaided = allCases.filter { $0 != .peers }

    /// A line of the help that says what the scenario measures. It has at most 66 characters, so that the help does not
    /// break it.
    public var summary: String {
        switch self {
        case .throughput: "updates applied a second, one call each and several a call"
        case .latency: "from publish to observer, at fixed rates"
        case .reads: "point reads by 1 to 8 queues, beside a dictionary"
        case .fields: "making the fields of an update, which throughput leaves out"
        case .recovery: "one of two subscribers is stopped under load, and goes on"
        case .observer: "an observer sleeps: what waits for it, what memory it takes"
        case .join: "joining with a million models, beside the bytes over raw libzmq"
        case .fetch: "reading single models of a million, by a copy that takes none"
        case .warmStart: "reading a million models from a store"
        case .push: "updates pushed to a relay until the last is acknowledged"
        case .relay: "throughput through a relay, and what an update costs the relay"
        case .models: "models as Swift types: decoding, reading, changing"
        case .memory: "bytes a model, beside its encoding and the same in dictionaries"
        case .growth: "the cost of an update with a thousand models and with ten million"
        case .observers: "updates applied a second with up to a million observers"
        case .snapshot: "opening a snapshot, walking it, and holding it while updates land"
        case .limits: "an update beside a limit, and one where each new model evicts"
        case .leases: "the processor time of a million leases, and of none"
        case .fanout: "the publisher's processor time with 1 to 64 subscribers"
        case .mixed: "writes of all kinds, reads, observers and snapshots at once"
        case .peers: "throughput beside Redis and NATS; for Scripts/bench-peers"
        }
    }

    /// One line for each scenario: its name, then its summary.
    public static var list: [String] {
        let width = allCases.map(\.rawValue.count).max() ?? 0
        return allCases.map {
            $0.rawValue + String(repeating: " ", count: width + 2 - $0.rawValue.count) + $0.summary
        }
    }
}
