public import ModelWire

/// How a ``Publisher`` works.
public struct PublisherConfiguration: Sendable {
    /// The name of the origin: unique in the deployment, `[A-Za-z0-9_.-]{1,64}`.
    public var name: String
    /// Where it serves.
    public var endpoints: SenderEndpoints
    /// Binds to addresses that other machines can reach, though nothing protects them.
    public var allowsRemote = false
    public var limits = WireLimits.default
    /// How often heads are told: what a subscriber needs to notice silence and loss.
    public var heartbeatInterval = Duration.milliseconds(500)
    /// A batch is sent when its updates take this many bytes, at the latest.
    public var batchByteCount = 32 * 1024
    /// Under load a batch waits this long at most.
    public var batchDelay = Duration.milliseconds(1)
    /// A write is refused with `.backPressured` while this many bytes wait for the socket's thread.
    public var outboxByteCount = 64 << 20
    /// What may wait for one slow subscriber before batches are dropped for it (it then repairs itself).
    public var subscriberQueueByteCount = 256 << 20
    /// Into how many topics a type is divided.
    public var partitions = Partitions.one
    /// The same for single types.
    public var partitionsByType: [String: Partitions] = [:]

    public init(name: String, endpoints: SenderEndpoints) {
        self.name = name
        self.endpoints = endpoints
    }
}
