import ModelCache
import ModelGrants
public import ModelWire

/// A replica that has spoken to this origin or relay on the control socket.
public struct Peer: Sendable {
    /// The routing identity of the control connection.
    public let identity: [UInt8]
    /// The name that the peer gave in `hello`; empty before that.
    public internal(set) var name: String
    /// The address from which it speaks, without a port; empty where the transport knows none, as over ipc.
    public internal(set) var address = ""
    /// The deeds of the peer on this connection.
    public internal(set) var tally = PeerTally()
    /// The topics that the peer replicates, from `hello`.
    public internal(set) var prefixes: [Topic] = []
    /// The owner of the connection, as of its last request.
    var grantee = Grantee.anybody
    /// The last report of the peer; nil until the first.
    public internal(set) var report: ReplicaReport?
    /// When the peer was last heard of, in microseconds of a clock that never goes back.
    public internal(set) var lastHeard: UInt64
    /// The snapshots that are being served to the peer, by request id.
    var cursors: [UInt64: SnapshotCursor] = [:]
    var budget = PeerBudget()
    /// Its key, where that bounds what is under way to all its connections.
    var boundKey: String?
    /// The answers that wait for their next message, and what the peer waits for.
    var orders = Fifo<ControlService.Order>()
    var wait = ControlService.PeerWait.nothing
    /// The size of the next message, where it was made and found no room.
    var neededByteCount = 0
    /// How many answers, snapshots aside, are not at their end.
    var answerCount = 0
    /// How many pushed batches of the peer wait to be durable.
    var pushCount = 0
    /// The sizes of the last `hello` and the last report, which are remembered.
    var helloByteCount = 0
    var reportByteCount = 0

    /// The name that its key was granted; empty where there are no grants.
    public var keyName: String { grantee.name }

    /// A name for the peer that it has not chosen itself.
    var title: String { !keyName.isEmpty ? keyName : address.isEmpty ? "a peer" : address }

    /// About how many bytes are remembered of the peer.
    var heldByteCount: Int { helloByteCount + reportByteCount }

    /// The order in which peers make way for new ones: the least goes first.
    var standing: (isServed: Int, hasReported: Int, lastHeard: UInt64) {
        (cursors.isEmpty && pushCount == 0 && answerCount == 0 ? 0 : 1, report == nil ? 0 : 1, lastHeard)
    }

    /// The peer has reported that it is live.
    public var isLive: Bool { report?.state == ReplicaState.live.rawValue }

    /// The peer takes some of what this topic carries, and may. One that has not said hello is taken to be interested
    /// in everything.
    package func isInterested(in topic: Topic) -> Bool {
        guard topic.type.map(grantee.rights.mayRead) ?? true else { return false }
        return prefixes.isEmpty || prefixes.contains { topic.overlaps($0.bytes) }
    }

    /// The last sequence that the peer has reported as applied on a topic of `origin`; 0 for none.
    public func applied(_ topic: Topic, origin: String, incarnation: UInt64) -> UInt64 {
        let heads = report?.applied.first { $0.origin == origin && $0.incarnation == incarnation }
        return heads?.heads.first { $0.topic == topic }?.sequence ?? 0
    }
}
