public import ModelStore
public import ModelWire

/// How a ``Relay`` works.
public struct RelayConfiguration: Sendable {
    /// The relay's name: unique in the deployment, among the names of publishers too, `[A-Za-z0-9_.-]{1,64}`.
    public var name: String
    /// Where it serves.
    public var endpoints: SenderEndpoints
    /// The control endpoints of what it listens to: publishers, other relays. May be empty where all is pushed.
    public var publishers: [String]
    /// The keys with which this process proves who it is, and those of whom it trusts. Nil: nothing is encrypted, and
    /// nobody proves anything.
    public var security: Security?
    /// Without ``security``: binds to addresses that other machines can reach, though nothing protects them.
    public var allowsRemote = false
    /// What is relayed.
    public var selection = SubscriberConfiguration.Selection.everything
    /// A file that keeps the copy over a restart; nil for none. With it a push is acknowledged once its batch is on
    /// disk. It belongs to this relay alone.
    public var store: String?
    /// How the file is written.
    public var storeWriting = WriteBehindConfiguration()
    public var limits = WireLimits.default
    /// How often heads are told.
    public var heartbeatInterval = Duration.milliseconds(500)
    /// A batch whose stamp lies further ahead of the wall clock is rejected; at most 24 hours.
    public var clockLeadMax = Duration.seconds(300)
    /// How long deleted models are remembered. The same everywhere: whoever was away for longer begins anew, and
    /// whoever remembers for longer costs memory and gains nothing.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    /// How many bytes of batches are held for replay.
    public var replayByteCount = 64 << 20
    /// For how long batches are held for replay.
    public var replayAge = Duration.seconds(60)
    /// What may wait for one slow subscriber before batches are dropped for it (it then repairs itself).
    public var subscriberQueueByteCount = 256 << 20
    /// What answers to all subscribers together, snapshots above all, may take in memory until they have been taken; at
    /// least eight frames.
    public var answersByteCount = 64 << 20
    /// What may wait in the stream's queue of one publisher before batches are lost (and repaired).
    public var queueByteCount = 256 << 20
    /// The first pause before a lost connection is opened anew; it doubles up to ``reconnectDelayMax``.
    public var reconnectDelay = Duration.milliseconds(50)
    public var reconnectDelayMax = Duration.seconds(2)

    public init(name: String, endpoints: SenderEndpoints, publishers: [String]) {
        self.name = name
        self.endpoints = endpoints
        self.publishers = publishers
    }
}
