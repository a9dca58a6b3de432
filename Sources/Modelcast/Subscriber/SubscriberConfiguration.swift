import ModelRecord
public import ModelStore
public import ModelWire

/// How a ``Subscriber`` works.
public struct SubscriberConfiguration: Sendable {
    /// What is replicated.
    public enum Selection: Sendable, Hashable {
        /// All types.
        case everything
        /// These types.
        case types([String])
    }

    /// The name that publishers see in reports.
    public var name: String
    /// The control endpoints of the publishers and relays that it listens to, at least one.
    public var publishers: [String]
    public var selection = Selection.everything
    /// Where this subscriber can be asked for what it holds (``ControlClient``, `modelcast verify`), as a publisher
    /// can: `tcp://127.0.0.1:7500`, port `*` for any free one, or `ipc:///path`. Nil for nowhere.
    public var control: String?
    /// The keys with which this process proves who it is, and those of whom it trusts. Nil: nothing is encrypted, and
    /// nobody proves anything.
    public var security: Security?
    /// Without ``security``: binds ``control`` to an address that other machines can reach, though nothing protects it.
    public var allowsRemote = false
    /// A file that keeps the copy over a restart; nil for none. Reads are served from it before any publisher has
    /// answered, and then only what has changed travels. It belongs to this subscriber alone.
    public var store: String?
    /// How the file is written.
    public var storeWriting = WriteBehindConfiguration()
    public var limits = WireLimits.default
    /// A batch whose stamp lies further ahead of the wall clock is rejected; at most 24 hours.
    public var clockLeadMax = Duration.seconds(300)
    /// How long deleted models are remembered. The same everywhere: whoever was away for longer begins anew, and
    /// whoever remembers for longer costs memory and gains nothing.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    /// How long a hole may stay open before it is repaired.
    public var holeGrace = Duration.milliseconds(50)
    /// What may wait in the stream's queue of one publisher before batches are lost (and repaired).
    public var queueByteCount = 256 << 20
    /// The first pause before a lost connection is opened anew; it doubles up to ``reconnectDelayMax``.
    public var reconnectDelay = Duration.milliseconds(50)
    public var reconnectDelayMax = Duration.seconds(2)

    public init(name: String, publishers: [String]) {
        self.name = name
        self.publishers = publishers
    }
}

extension SubscriberConfiguration.Selection {
    /// The topic prefixes.
    var prefixes: [[UInt8]] {
        switch self {
        case .everything: [Array("m/".utf8)]
        case .types(let types): types.map { Array("m/\($0)/".utf8) }
        }
    }

    /// Refuses what is not the name of a type, and more types than one request may name.
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
