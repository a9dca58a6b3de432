public import ModelStore
public import ModelWire

/// The settings of a ``Relay``.
public struct RelayConfiguration: Sendable {
    /// The relay's name: unique in the deployment, among the names of publishers, too; `[A-Za-z0-9_.-]{1,64}`.
    public var name: String
    /// The endpoints to serve at.
    public var endpoints: SenderEndpoints
    /// The control endpoints of the publishers and relays that it listens to. May be empty where all batches are
    /// pushed.
    public var publishers: [String]
    /// How messages travel; the endpoints have to be those of it.
    public var transport = Transport.zeroMQ
    /// The keys of this process, and those that it trusts. Nil: nothing is encrypted, and neither side proves who it
    /// is.
    public var security: Security?
    /// Allows endpoints that other machines can reach without ``security``, although nothing protects them then.
    public var allowsRemote = false
    /// The types that are relayed.
    public var selection = SubscriberConfiguration.Selection.everything
    /// The path of a file that keeps the copy over a restart; nil for none. With it a push is acknowledged once its
    /// batch is on disk. The file belongs to this relay alone.
    public var store: String?
    /// How the store's file is written.
    public var storeWriting = WriteBehindConfiguration()
    /// The limits of frames, batches and values.
    public var limits = WireLimits.default
    /// The pause between two heartbeats, which carry the heads.
    public var heartbeatInterval = Duration.milliseconds(500)
    /// How far a batch's stamp may lie ahead of the wall clock; at most 24 hours. Beyond that the batch is rejected.
    public var clockLeadMax = Duration.seconds(300)
    /// How long deleted models are remembered. Set the same value in all processes: a replica that was away for longer
    /// builds its state anew, and a longer value in one process only costs memory. Two minutes at least: a repair may
    /// take as long, and what it brings late may be a delete.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    /// How many bytes of batches are held for replay.
    public var replayByteCount = 64 << 20
    /// How long batches are held for replay.
    public var replayAge = Duration.seconds(60)
    /// How many bytes may wait for one slow subscriber. Beyond that batches are dropped for it, and it repairs itself.
    public var subscriberQueueByteCount = 256 << 20
    /// How many bytes the answers to all subscribers together may take, snapshots above all, until they have been
    /// sent; at least eight frames.
    public var answersByteCount = 64 << 20
    /// How many bytes may wait in the stream's queue of one publisher. Beyond that batches are lost, and repaired.
    public var queueByteCount = 256 << 20
    /// The first pause before a lost connection is opened again. It doubles up to ``reconnectDelayMax``.
    public var reconnectDelay = Duration.milliseconds(50)
    /// The longest pause before a lost connection is opened again.
    public var reconnectDelayMax = Duration.seconds(2)

    /// The settings of a relay that listens to `publishers`. All other settings have their defaults.
    public init(name: String, endpoints: SenderEndpoints, publishers: [String]) {
        self.name = name
        self.endpoints = endpoints
        self.publishers = publishers
    }
}
