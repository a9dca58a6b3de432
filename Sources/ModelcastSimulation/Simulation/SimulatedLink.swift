import ModelSync

/// The two connections of a subscriber or relay to one of its senders.
struct SimulatedLink {
    /// The index of the node that connects.
    let client: Int
    /// The index of the node that it connects to.
    let server: Int
    /// The server's identifier in the client's replica.
    let sender: SenderID
    /// The number of the stream connection. Each break adds one, and messages of an earlier number are dropped.
    var streamEpoch = 0
    /// The number of the client's attempt to connect. It grows whenever the client opens or closes both connections.
    var attempt = 0
    /// The number of the control connection. Each break adds one, and messages of an earlier number are dropped.
    var controlEpoch = 0
    /// The stream's TCP connection stands.
    var isStreamOpen = false
    /// True once the client knows the endpoint of the stream, and wants it open.
    var hasStream = false
    /// The prefixes that the client's socket is subscribed to, and sends again on each new connection.
    var subscriptions: [[UInt8]] = []
    /// The prefixes of the subscriptions that have reached the server.
    var active: [[UInt8]] = []
    /// The link is partitioned: no message passes, in either direction.
    var isCut = false
    /// The latest arrival so far of each kind of message. Later messages of the kind arrive no earlier, which keeps
    /// their order.
    var lastArrival: (request: UInt64, subscription: UInt64, reply: UInt64, stream: UInt64) = (0, 0, 0, 0)
    /// Batches that stay broken on this link, each with the broken bytes that arrive.
    var damage: [BatchID: [UInt8]] = [:]
    /// When each message in the queue of a slow stream leaves the sender.
    var departures: [UInt64] = []

    /// The routing identity of the control connection.
    func peer(_ index: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: controlEpoch >> 8)]
            + [UInt8(truncatingIfNeeded: controlEpoch)]
    }
}
