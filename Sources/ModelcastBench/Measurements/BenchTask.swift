/// The part of a process in the measurement, which it gets as JSON on its command line.
public enum BenchTask: Codable, Sendable {
    /// A publisher that serves.
    case publisher(BenchPlan, protection: BenchProtection = .nothing)
    /// Many publishers whose models are leased, or not.
    case leaseHolders(ScenarioSizes, isLeased: Bool)
    /// A subscriber.
    /// - `endpoint`: that of its publisher, or several with spaces between them.
    /// - `store`: a file that keeps the models; nil for none.
    /// - `isLazy`: it takes nothing by itself.
    case subscriber(
        BenchPlan, endpoint: String, store: String? = nil, protection: BenchProtection = .nothing, isLazy: Bool = false)
    /// A publisher that pushes to a relay, and does not serve.
    case pusher(BenchPlan, relay: String)
    /// A relay, which listens to a publisher where an endpoint is given.
    case relay(BenchPlan, endpoint: String?, store: String? = nil)
    /// Sends messages of 100 bytes from an XPUB; in bulk large ones from a PUSH.
    case rawSender(bulk: Bool)
    /// Receives those messages on a SUB; in bulk on a PULL.
    case rawReceiver(endpoint: String, bulk: Bool)
    /// Receives the frames of a publisher on a SUB of raw libzmq, and tells their sizes and how many updates they have.
    case frameRecorder(endpoint: String)
    /// Sends messages of two frames from an XPUB to many SUBs.
    case rawFanoutSender
    /// Receives those messages on a SUB.
    case rawFanoutReceiver(endpoint: String)
    /// Measures a scenario on its own.
    case local(ScenarioSizes, LocalScenario)
}
