public import ModelSync

/// The progress of a publisher that pushes.
public struct PushProgress: Sendable {
    /// Batches that do not count as delivered yet; ``PublisherConfiguration/acknowledgement`` decides.
    public internal(set) var unacknowledged = 0
    /// Too much waits for acknowledgement, so writes are refused with ``ModelcastError/Code/outboxFull``.
    public internal(set) var isFull = false
    /// Why not everything can be delivered; nil while it can.
    public internal(set) var failure: String?
    /// The status of each relay, in the order of ``PublisherConfiguration/relays``.
    public internal(set) var relays: [PushStatus] = []
    /// Some writes have not reached the queues of the relays yet.
    public internal(set) var hasUnsent = false
    /// Everything that was written is delivered, and so is everything that earlier runs have kept in the store.
    public var isAcknowledged: Bool { !hasUnsent && isDelivered }
    /// All batches that were taken from the origin have been given to the pusher.
    var isHandedOver = true
    /// All batches that were given to the pusher are delivered, and the relays were compared with what earlier runs
    /// have kept.
    var isDelivered = true
    /// The incarnation of the origin that this progress is about.
    var incarnation: UInt64 = 0
}
