import ModelRecord
public import ModelStore
public import ModelWire

/// The settings of a ``Subscriber``.
public struct SubscriberConfiguration: Sendable {
    /// The types that are replicated.
    public enum Selection: Sendable, Hashable {
        /// All types.
        case everything
        /// These types.
        case types([String])
    }

    /// The models that come into a copy by themselves.
    public typealias Prefetch = CacheLimits.Prefetch

    /// The name that publishers see in reports.
    public var name: String
    /// The control endpoints of the publishers and relays that it listens to; at least one.
    public var publishers: [String]
    /// The types that are replicated.
    public var selection = Selection.everything
    /// The endpoint where this subscriber answers requests, as a publisher does (``ControlClient``, `modelcast
    /// verify`): `tcp://127.0.0.1:7500`, port `*` for any free one, or `ipc:///path`. Nil for none.
    public var control: String?
    /// How messages travel; the endpoints have to be those of it.
    public var transport = Transport.zeroMQ
    /// The keys of this process, and those that it trusts. Nil: nothing is encrypted, and neither side proves who it
    /// is.
    public var security: Security?
    /// Allows a ``control`` endpoint that other machines can reach without ``security``, although nothing protects it
    /// then.
    public var allowsRemote = false
    /// The path of a file that keeps the copy over a restart; nil for none. Reads are served from it before any
    /// publisher has answered, and then only the changes since are sent. The file belongs to this subscriber alone.
    public var store: String?
    /// How the store's file is written.
    public var storeWriting = WriteBehindConfiguration()
    /// How many models, bytes and how old the copy may hold, by type and in all; empty for everything. See
    /// <doc:BoundedCopies>.
    public var modelLimits = CacheLimits()
    /// What comes into the copy by itself, before anybody asks for it. See <doc:BoundedCopies>.
    public var prefetch = Prefetch.all
    /// The limits of frames, batches and values.
    public var limits = WireLimits.default
    /// How far a batch's stamp may lie ahead of the wall clock; at most 24 hours. Beyond that the batch is rejected.
    public var clockLeadMax = Duration.seconds(300)
    /// How long deleted models are remembered. Set the same value in all processes: a replica that was away for longer
    /// builds its state anew, and a longer value in one process only costs memory. Two minutes at least: a repair may
    /// take as long, and what it brings late may be a delete.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    /// How long a hole may stay open before it is repaired.
    public var holeGrace = Duration.milliseconds(50)
    /// How many bytes may wait in the stream's queue of one publisher. Beyond that batches are lost, and repaired.
    public var queueByteCount = 256 << 20
    /// The first pause before a lost connection is opened again. It doubles up to ``reconnectDelayMax``.
    public var reconnectDelay = Duration.milliseconds(50)
    /// The longest pause before a lost connection is opened again.
    public var reconnectDelayMax = Duration.seconds(2)

    /// The settings of a subscriber that listens to `publishers`. All other settings have their defaults.
    public init(name: String, publishers: [String]) {
        self.name = name
        self.publishers = publishers
    }
}

extension SubscriberConfiguration.Selection {
    /// The topic prefixes of the selection.
    package var prefixes: [[UInt8]] {
        switch self {
        case .everything: [Array("m/".utf8)]
        case .types(let types): types.map { Array("m/\($0)/".utf8) }
        }
    }

    /// Refuses bad type names, and more types than one request may name.
    func check() throws(ModelcastError) {
        guard case .types(let types) = self else { return }
        guard types.count <= WireLimits.prefixCountMax else {
            throw ModelcastError(
                .configuration,
                "\(types.count) types are selected, and at most \(WireLimits.prefixCountMax) can be: select everything")
        }
        for type in types {
            do { try Names.check(type: type) } catch { throw ModelcastError(error) }
        }
    }
}
