public import ModelSync

/// How far a publisher that pushes has come.
public struct PushProgress: Sendable {
    /// Batches that are not delivered yet, as ``PublisherConfiguration/acknowledgement`` counts.
    public internal(set) var unacknowledged = 0
    /// Too much waits for acknowledgement: writes are refused with ``ModelcastError/Code/outboxFull``.
    public internal(set) var isFull = false
    /// Why not everything can be delivered any more; nil while it can.
    public internal(set) var failure: String?
    /// One for each of ``PublisherConfiguration/relays``.
    public internal(set) var relays: [PushStatus] = []
    /// Something was written that has not been made a batch and given to the relays' queues yet.
    public internal(set) var hasUnsent = false
    /// Everything that was written is delivered, and all that earlier runs have kept in the store is there as well.
    public var isAcknowledged: Bool { !hasUnsent && isDelivered }
    /// All that has been taken from the origin has been given to the pusher.
    var isHandedOver = true
    /// All that was given to the pusher is delivered, and the relays were compared with what earlier runs have kept.
    var isDelivered = true
    /// The start of the origin that this is about.
    var incarnation: UInt64 = 0
}
