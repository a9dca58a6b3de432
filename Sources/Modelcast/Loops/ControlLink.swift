import ModelSync

/// The connection for requests to a sender, or to a relay that takes pushes: what its greeting tells, why nobody
/// answers, and when to open it again. Belongs to the socket thread.
final class ControlLink {
    /// A change of the other side.
    enum Change {
        /// The other side has greeted, and each side trusts the other.
        case greeted
        /// The connection had been greeted, and has broken off. Only connections that watch for that tell it.
        case lost
        /// The other side refuses this one, or does not prove the expected key.
        /// - Parameter isNews: the reason was not told since the last greeting.
        case refused(reason: String, isNews: Bool)
    }

    let endpoint: String
    private(set) var connection: (any RequestConnection)?
    /// When the connection is to be opened, for the first time or again; nil while it is open.
    var openAt: UInt64? = 0
    /// The reasons that were told since the last greeting.
    private var toldReasons: Set<String> = []
    /// Finds out why nobody answers at the endpoint.
    private let reach: ReachWatch

    init(to endpoint: String, hasKeys: Bool, transport: Transport) {
        self.endpoint = endpoint
        reach = ReachWatch(endpoint, hasKeys: hasKeys, transport: transport)
    }

    /// The time to open the connection has come.
    func isDue(now: Moment) -> Bool { openAt.map { now.uptimeMicroseconds >= $0 } ?? false }

    func open(on thread: any TransportThread, _ settings: ConnectionSettings, now: Moment) throws(ModelcastError) {
        openAt = nil
        reach.opened(now: now)
        connection = try thread.connect(to: endpoint, settings)
    }

    /// Closes the connection.
    /// - Parameter openAt: when to open it again; nil for never.
    func close(openAt: UInt64? = nil) {
        connection = nil
        self.openAt = openAt
    }

    /// Looks at the greeting.
    /// - Returns: what is new; nil while nothing is known, and where nothing has changed.
    func look() throws(ModelcastError) -> Change? {
        switch try connection?.look() ?? .pending {
        case .pending: return nil
        case .succeeded:
            toldReasons = []
            reach.greeted()
            return .greeted
        case .lost: return .lost
        case .failed(let reason): return .refused(reason: reason, isNews: toldReasons.insert(reason).inserted)
        }
    }

    /// The result of the looks for why nobody answers at the endpoint; nil where there is none.
    func lookForReach(now: Moment) -> ReachWatch.Finding? { reach.look(now: now) }
}
