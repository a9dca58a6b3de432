/// How bad the simulated network is. Everything is decided by the simulation's seed.
public struct NetworkConditions: Sendable {
    /// The chance that a message on a stream is lost, in thousandths.
    public var streamLossPerMille: Int
    /// The chance that a message on a stream arrives twice, in thousandths.
    public var duplicationPerMille: Int
    /// The chance that a control connection breaks at a message, in thousandths. TCP loses nothing in between: all that
    /// is on its way is gone, in both directions, and libzmq connects anew under another routing identity.
    public var controlResetPerMille: Int
    /// The least and the greatest time that a message takes, in microseconds.
    public var delayMicroseconds: ClosedRange<UInt64>
    /// Messages on a stream may overtake each other. A TCP connection keeps their order; two relays do not.
    public var reordersStream: Bool

    public init(
        streamLossPerMille: Int = 0, duplicationPerMille: Int = 0, controlResetPerMille: Int = 0,
        delayMicroseconds: ClosedRange<UInt64> = 50...500, reordersStream: Bool = false
    ) {
        self.streamLossPerMille = streamLossPerMille
        self.duplicationPerMille = duplicationPerMille
        self.controlResetPerMille = controlResetPerMille
        self.delayMicroseconds = delayMicroseconds
        self.reordersStream = reordersStream
    }

    /// A network that only takes its time.
    public static let good = NetworkConditions()

    /// Conditions drawn from `generator`: from good to far worse than any real network.
    public static func random(using generator: inout some RandomNumberGenerator) -> NetworkConditions {
        NetworkConditions(
            streamLossPerMille: [0, 10, 100, 300].randomElement(using: &generator) ?? 0,
            duplicationPerMille: [0, 50, 300].randomElement(using: &generator) ?? 0,
            controlResetPerMille: [0, 0, 20].randomElement(using: &generator) ?? 0,
            delayMicroseconds: 50...([500, 5_000, 60_000].randomElement(using: &generator) ?? 500),
            reordersStream: Bool.random(using: &generator))
    }
}
