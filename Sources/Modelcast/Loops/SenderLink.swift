import ModelSync

/// The two connections towards one sender, and when to open them again after a loss. Belongs to the socket thread.
final class SenderLink {
    let sender: SenderID
    /// The control endpoint.
    let endpoint: String
    private(set) var control: (any RequestConnection)?
    private(set) var stream: (any StreamConnection)?
    /// The greeting of the control connection has not succeeded or failed yet.
    private var isGreetingAwaited = false
    /// The reasons that were logged since the last greeting.
    private var toldReasons: Set<String> = []
    /// Finds out why no sender answers at the endpoint.
    private let reach: ReachWatch
    /// When the control connection is to be opened, for the first time or again; nil while it is open.
    var reopenAt: UInt64? = 0
    var pause = ReconnectPause()

    init(sender: SenderID, endpoint: String, hasKeys: Bool, transport: Transport) {
        self.sender = sender
        self.endpoint = endpoint
        reach = ReachWatch(endpoint, hasKeys: hasKeys, transport: transport)
    }

    /// Opens the control connection.
    func openControl(
        on thread: any TransportThread, _ settings: ConnectionSettings, now: Moment
    ) throws(ModelcastError) {
        reach.opened(now: now)
        control = try thread.connect(to: endpoint, settings)
        isGreetingAwaited = true
    }

    /// Opens the stream connection.
    func openStream(
        to endpoint: String, on thread: any TransportThread, _ settings: ConnectionSettings
    ) throws(ModelcastError) {
        stream = nil
        stream = try thread.listen(to: endpoint, of: self.endpoint, settings)
    }

    /// Looks whether the other side refuses this one, or does not prove the expected key.
    /// - Returns: the reason, and whether it is new since the last greeting; nil while nothing is known, or all is
    ///   well.
    func lookForRefusal() throws(ModelcastError) -> (reason: String, isNews: Bool)? {
        guard isGreetingAwaited, let greeting = try control?.look() else { return nil }
        switch greeting {
        case .pending: return nil
        case .succeeded, .lost:
            isGreetingAwaited = false
            toldReasons = []
            reach.greeted()
            return nil
        case .failed(let reason):
            isGreetingAwaited = false
            return (reason, toldReasons.insert(reason).inserted)
        }
    }

    /// The result of the looks for why no sender answers at the endpoint; nil where there is none.
    func lookForReach(now: Moment) -> ReachWatch.Finding? { reach.look(now: now) }

    /// Closes both connections.
    func close() {
        isGreetingAwaited = false
        control = nil
        stream = nil
    }
}
