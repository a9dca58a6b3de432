import ModelSync

/// The two connections of a subscriber or relay to one of its senders.
struct SimulatedLink {
    /// Whoever connects, by node.
    let client: Int
    /// Whoever is connected to, by node.
    let server: Int
    /// What the client's replica calls the server.
    let sender: SenderID
    /// Grows whenever the stream connection breaks; what was on its way before is gone.
    var streamEpoch = 0
    /// Grows whenever the client opens both connections anew.
    var attempt = 0
    /// Grows whenever the control connection breaks.
    var controlEpoch = 0
    /// The stream's TCP connection stands.
    var isStreamOpen = false
    /// The client wants a stream: it has been told where it is.
    var hasStream = false
    /// What the client's socket is subscribed to, and so sends again on each new connection.
    var subscriptions: [[UInt8]] = []
    /// What the server knows of it.
    var active: [[UInt8]] = []
    /// Nothing passes, in either direction.
    var isCut = false
    /// When the last message in order arrives, by direction: requests, subscriptions, replies, stream.
    var lastArrival: (request: UInt64, subscription: UInt64, reply: UInt64, stream: UInt64) = (0, 0, 0, 0)
    /// Batches that stay broken on this link, as they come.
    var damage: [BatchID: [UInt8]] = [:]
    /// When each message that waits for a slow stream has left.
    var departures: [UInt64] = []

    /// The routing identity of the control connection.
    func peer(_ index: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: controlEpoch >> 8)]
            + [UInt8(truncatingIfNeeded: controlEpoch)]
    }
}
