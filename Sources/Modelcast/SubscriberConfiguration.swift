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
    /// The control endpoints of the publishers, at least one.
    public var publishers: [String]
    public var selection = Selection.everything
    public var limits = WireLimits.default
    /// A batch whose stamp lies further ahead of the wall clock is rejected.
    public var clockLeadMax = Duration.seconds(300)
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

    /// The topic prefixes of ``selection``.
    var prefixes: [[UInt8]] {
        switch selection {
        case .everything: [Array("m/".utf8)]
        case .types(let types): types.map { Array("m/\($0)/".utf8) }
        }
    }
}
