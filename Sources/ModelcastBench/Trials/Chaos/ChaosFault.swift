/// A fault that a chaos trial injects into a process, or into the network between it and the others.
public enum ChaosFault: String, CaseIterable, Codable, Sendable {
    /// SIGKILL; the process is started again later.
    case kill
    /// SIGSTOP, and SIGCONT some seconds later. No other process is told, and no connection closes.
    case stop
    /// An end in good order; the process is started again later.
    case restart
    /// Part of the packets from and to the process are lost.
    case loss
    /// Packets from and to the process are late.
    case delay
    /// No packet comes through, in neither direction.
    case partition

    /// True for a fault between network namespaces.
    public var isOfNetwork: Bool {
        switch self {
        case .kill, .stop, .restart: false
        case .loss, .delay, .partition: true
        }
    }

    /// The shortest and the longest time that the fault lasts, in seconds.
    var duration: ClosedRange<Double> {
        switch self {
        case .kill, .restart: 0.05...2
        case .stop: 1...5
        case .loss, .delay: 1...4
        case .partition: 0.5...6
        }
    }
}
