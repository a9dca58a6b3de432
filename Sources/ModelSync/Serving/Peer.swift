public import ModelWire

/// A replica that has spoken to this origin on the control socket.
public struct Peer: Sendable {
    /// The routing identity of the control connection.
    public let identity: [UInt8]
    /// The name that it gave in `hello`.
    public internal(set) var name: String
    /// What it replicates, from `hello`.
    public internal(set) var prefixes: [Topic] = []
    /// The last report: nil until the first.
    public internal(set) var report: Report?
    /// When it was last heard of, on the clock of ``Moment/uptimeMicroseconds``.
    public internal(set) var lastHeard: UInt64
    /// The snapshots that are being served to it, by request id.
    var cursors: [UInt64: SnapshotCursor] = [:]
    var budget = PeerBudget()
    /// Its answers that are to go on, and where it waits for that.
    var orders = Fifo<ControlService.Order>()
    var place = ControlService.Place.nowhere
    /// The size of its next message, where that was made and found no room.
    var neededByteCount = 0
    /// Its answers, snapshots aside, that are not at their end.
    var answerCount = 0
    /// Pushed batches that wait to be durable.
    var pushCount = 0
    /// The size of its last `hello` and of its last report, which are remembered.
    var helloByteCount = 0
    var reportByteCount = 0

    /// What is remembered of it, about.
    var heldByteCount: Int { helloByteCount + reportByteCount }

    /// Who is least makes way first.
    var standing: (isServed: Int, hasReported: Int, lastHeard: UInt64) {
        (cursors.isEmpty && pushCount == 0 && answerCount == 0 ? 0 : 1, report == nil ? 0 : 1, lastHeard)
    }

    /// It has reported that it is live.
    public var isLive: Bool { report?.state == ReplicaState.live.rawValue }

    /// It takes some of what this topic carries. Of one that has not said hello to this incarnation nothing is known.
    func isInterested(in topic: Topic) -> Bool {
        prefixes.isEmpty || prefixes.contains { topic.overlaps($0.bytes) }
    }

    /// The last sequence that it has reported as applied on a topic of `origin`.
    public func applied(_ topic: Topic, origin: String, incarnation: UInt64) -> UInt64 {
        let heads = report?.applied.first { $0.origin == origin && $0.incarnation == incarnation }
        return heads?.heads.first { $0.topic == topic }?.sequence ?? 0
    }
}
