public import ModelStore
public import ModelSync
import ZeroMQ

/// What a relay can say of itself at any moment.
public struct RelayStatus: Sendable {
    /// One per publisher or relay that it listens to, in the order of ``RelayConfiguration/publishers``.
    public internal(set) var senders: [SenderStatus] = []
    /// One per origin and topic.
    public internal(set) var streams: [StreamStatus] = []
    /// What was counted on the side that listens.
    public internal(set) var replicaCounters = Counters()
    /// What was counted on the side that serves.
    public internal(set) var counters = Counters()
    /// How writing to the store goes; nil where there is none.
    public internal(set) var store: WriteBehindStatus?
    /// Who listens to it.
    public internal(set) var peers: [Peer] = []

    /// All that it listens to is live: everything that was sent has been applied.
    public var isLive: Bool { senders.allSatisfy { $0.state == .live } }
}

/// What a relay's users and its socket thread share, behind one lock.
struct RelayCore {
    var waker: Waker?
    var isStopped = false
    var hasRun = false
    var status = RelayStatus()
}
