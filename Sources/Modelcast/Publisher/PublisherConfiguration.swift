public import ModelStore
public import ModelSync
public import ModelWire

/// The settings of a ``Publisher``.
public struct PublisherConfiguration: Sendable {
    /// The name of the origin: unique in the deployment, `[A-Za-z0-9_.-]{1,64}`.
    public var name: String
    /// The endpoints to serve at; nil for a publisher that only pushes.
    public var endpoints: SenderEndpoints?
    /// The control endpoints of the relays that every batch is pushed to.
    public var relays: [String] = []
    /// Whether a pushed batch counts as delivered when one relay has acknowledged it, or when all have.
    public var acknowledgement = PusherConfiguration.Acknowledgement.any
    /// How messages travel; the endpoints have to be those of it.
    public var transport = Transport.zeroMQ
    /// The keys of this process, and those that it trusts. Nil: nothing is encrypted, and neither side proves who it
    /// is.
    public var security: Security?
    /// Allows endpoints that other machines can reach without ``security``, although nothing protects them then.
    public var allowsRemote = false
    /// The path of a file that keeps the models over a restart; nil for none. The file belongs to this publisher alone.
    public var store: String?
    /// The promise of the store about the last writes.
    public var durability = Durability.none
    /// How the store's file is written.
    public var storeWriting = WriteBehindConfiguration()
    /// The limits of frames, batches and values.
    public var limits = WireLimits.default
    /// The pause between two heartbeats, which carry the heads. By them subscribers notice silence and loss.
    public var heartbeatInterval = Duration.milliseconds(500)
    /// The size of a batch's updates, in bytes, at which it is sent at the latest.
    public var batchByteCount = 32 * 1024
    /// The longest time for which a batch is held back under load. It is reached from 256 writes in such a time on;
    /// where writers hardly leave the lock, it may be twice as long. With fewer writes a batch leaves sooner: after 150
    /// µs at 100,000 writes a second, and at once below 64 writes in such a time. Zero: no batch is ever held back.
    public var batchDelay = Duration.milliseconds(1)
    /// How many bytes of sent batches are held, so that they can be replayed to subscribers that have missed some.
    public var replayByteCount = 64 << 20
    /// How long sent batches are held for replay.
    public var replayAge = Duration.seconds(60)
    /// Whether a relay that has lost what it had acknowledged, or refuses what is pushed, is tried again, for ever and
    /// with all that this publisher holds. For a publisher that stays; a job rather says so and ends. False by default.
    public var keepsPushing = false
    /// How long deleted models are remembered. Set the same value in all processes: a replica that was away for longer
    /// builds its state anew, and a longer value in one process only costs memory. Two minutes at least: a repair may
    /// take as long, and what it brings late may be a delete.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    /// How far a later start of this name, which others report, may move this publisher's clock ahead of the wall
    /// clock; at most 24 hours.
    public var clockLeadMax = Duration.seconds(300)
    /// The number of bytes that wait for the socket's thread at which writes are refused with
    /// ``ModelcastError/Code/outboxFull``.
    public var outboxByteCount = 64 << 20
    /// How many bytes may wait for one slow subscriber. Beyond that batches are dropped for it, and it repairs itself.
    public var subscriberQueueByteCount = 256 << 20
    /// How many bytes the answers to all subscribers together may take, snapshots above all, until they have been
    /// sent; at least eight frames.
    public var answersByteCount = 64 << 20
    /// The number of topics that a type is divided into.
    public var partitions = Partitions.one
    /// The same for single types, by name.
    public var partitionsByType: [String: Partitions] = [:]

    /// A publisher that serves subscribers, and relays that listen to it.
    public init(name: String, endpoints: SenderEndpoints) {
        self.name = name
        self.endpoints = endpoints
    }

    /// A publisher that serves no subscribers and pushes to relays: for jobs that end when everything is acknowledged.
    ///
    /// Two jobs that run at the same time need two names.
    public init(name: String, pushingTo relays: [String], acknowledgement: PusherConfiguration.Acknowledgement = .any) {
        self.name = name
        self.relays = relays
        self.acknowledgement = acknowledgement
    }
}
