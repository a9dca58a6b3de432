public import ModelStore
public import ModelSync
public import ModelWire

/// How a ``Publisher`` works.
public struct PublisherConfiguration: Sendable {
    /// The name of the origin: unique in the deployment, `[A-Za-z0-9_.-]{1,64}`.
    public var name: String
    /// Where it serves; nil for one that only pushes.
    public var endpoints: SenderEndpoints?
    /// The control endpoints of the relays that every batch is pushed to, and acknowledged by.
    public var relays: [String] = []
    /// When a pushed batch counts as delivered: one relay has acknowledged it, or all have.
    public var acknowledgement = PusherConfiguration.Acknowledgement.any
    /// The keys with which this process proves who it is, and those of whom it trusts. Nil: nothing is encrypted, and
    /// nobody proves anything.
    public var security: Security?
    /// Without ``security``: binds to addresses that other machines can reach, though nothing protects them.
    public var allowsRemote = false
    /// A file that keeps the models over a restart, which goes on with them; nil for none. It belongs to this publisher
    /// alone.
    public var store: String?
    /// What the store promises.
    public var durability = Durability.none
    /// How the file is written.
    public var storeWriting = WriteBehindConfiguration()
    public var limits = WireLimits.default
    /// How often heads are told: what a subscriber needs to notice silence and loss.
    public var heartbeatInterval = Duration.milliseconds(500)
    /// A batch is sent when its updates take this many bytes, at the latest.
    public var batchByteCount = 32 * 1024
    /// How long a batch is held back at most: from 256 writes in such a time on; up to twice that where writers leave
    /// the lock to nobody else. With less to do it leaves sooner: after 150 µs at 100,000 writes a second, and at once
    /// below 64 writes in such a time. Zero: nothing is ever held back.
    public var batchDelay = Duration.milliseconds(1)
    /// How many bytes of batches are held for replay to subscribers that have missed some.
    public var replayByteCount = 64 << 20
    /// For how long batches are held for replay.
    public var replayAge = Duration.seconds(60)
    /// How long deleted models are remembered. The same everywhere: whoever was away for longer begins anew, and
    /// whoever remembers for longer costs memory and gains nothing.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    /// How far a later start of this name, as others tell of it, may move this publisher's clock ahead of the wall
    /// clock; at most 24 hours.
    public var clockLeadMax = Duration.seconds(300)
    /// A write is refused with ``ModelcastError/Code/outboxFull`` while this many bytes wait for the socket's thread.
    public var outboxByteCount = 64 << 20
    /// What may wait for one slow subscriber before batches are dropped for it (it then repairs itself).
    public var subscriberQueueByteCount = 256 << 20
    /// What answers to all subscribers together, snapshots above all, may take in memory until they have been taken; at
    /// least eight frames.
    public var answersByteCount = 64 << 20
    /// Into how many topics a type is divided.
    public var partitions = Partitions.one
    /// The same for single types.
    public var partitionsByType: [String: Partitions] = [:]

    /// A publisher that serves subscribers, and relays that listen to it.
    public init(name: String, endpoints: SenderEndpoints) {
        self.name = name
        self.endpoints = endpoints
    }

    /// A publisher that serves nobody and pushes to relays: for jobs that end when all is acknowledged.
    ///
    /// Two jobs that run at once need two names.
    public init(name: String, pushingTo relays: [String], acknowledgement: PusherConfiguration.Acknowledgement = .any) {
        self.name = name
        self.relays = relays
        self.acknowledgement = acknowledgement
    }
}
