/// What a process of the measurement is; handed to it as JSON on its command line.
public enum BenchTask: Codable, Sendable {
    /// - `hasKeys`: with CURVE.
    case publisher(BenchPlan, hasKeys: Bool = false)
    /// - `store`: a file that keeps the models; nil for none.
    case subscriber(BenchPlan, endpoint: String, store: String? = nil, hasKeys: Bool = false)
    /// Pushes to a relay, and serves nobody.
    case pusher(BenchPlan, relay: String)
    /// Listens to a publisher where there is one.
    case relay(BenchPlan, endpoint: String?, store: String? = nil)
    /// Messages of 100 bytes from an XPUB to a SUB; in bulk large ones, from a PUSH to a PULL.
    case rawSender(bulk: Bool)
    case rawReceiver(endpoint: String, bulk: Bool)
    /// Takes what a publisher sends, as a SUB of raw libzmq does, and tells how large the frames are, and how many
    /// updates they hold.
    case frameRecorder(endpoint: String)
    /// Messages of two frames, from an XPUB to many a SUB.
    case rawFanoutSender
    case rawFanoutReceiver(endpoint: String)
    /// Measures something on its own.
    case local(ScenarioSizes, LocalScenario)
}
