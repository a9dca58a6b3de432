public import ModelStore
public import ModelSync
import ZeroMQ

/// The state of a relay at one moment.
public struct RelayStatus: Sendable {
    /// The relay has bound its endpoints, and has not stopped.
    public internal(set) var isServing = false
    /// The status of each publisher or relay that it listens to, in the order of ``RelayConfiguration/publishers``.
    public internal(set) var senders: [SenderStatus] = []
    /// The status of each stream: one for each origin and topic.
    public internal(set) var streams: [StreamStatus] = []
    /// The counters of the side that listens.
    public internal(set) var replicaCounters = Counters()
    /// The counters of the side that serves.
    public internal(set) var counters = Counters()
    /// The figures of writing to the store; nil where there is none.
    public internal(set) var store: WriteBehindStatus?
    /// The subscribers and other peers of the relay.
    public internal(set) var peers: [Peer] = []
    /// The refusals, and to whom, and the errors of senders: each kind of each peer once, at most 256 of each side.
    public internal(set) var errors: [DistinctError] = []

    /// The relay serves, and every sender is live: all batches that it has sent are applied. True also where there are
    /// no senders.
    public var isLive: Bool { isServing && senders.allSatisfy { $0.state == .live } }
}

/// The state that a relay's users and its socket thread share, behind one lock.
struct RelayCore: ThreadServiceCore {
    var waker: Waker?
    var isStopped = false
    var hasRun = false
    var status = RelayStatus()
}
