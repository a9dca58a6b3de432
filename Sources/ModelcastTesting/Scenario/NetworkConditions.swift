/// How bad the simulated network is. Everything is decided by the simulation's seed.
public struct NetworkConditions: Sendable {
    /// The chance that a message on a stream is lost, in thousandths.
    public var streamLossPerMille = 0
    /// The chance that a message on a stream arrives twice, in thousandths.
    public var duplicationPerMille = 0
    /// The chance that a connection breaks at a message, in thousandths. TCP loses nothing in between: all that is on
    /// its way is gone. libzmq then connects by itself: a stream sends its subscriptions again, a control connection
    /// comes back under another routing identity.
    public var streamResetPerMille = 0
    public var controlResetPerMille = 0
    /// The chance that a message is followed, or on a stream replaced, by a broken copy of itself, in thousandths.
    public var malformedPerMille = 0
    /// The chance that a batch is broken on a link, or on all links of its sender, for good: also when it is sent
    /// again, in thousandths.
    public var lastingDamagePerMille = 0
    /// The chance that a disk refuses a pushed batch, as it is full, in thousandths.
    public var diskFailurePerMille = 0
    /// The least and the greatest time that a message takes, in microseconds.
    public var delayMicroseconds: ClosedRange<UInt64> = 50...500
    /// Messages on a stream may overtake each other. A TCP connection keeps their order; two relays do not.
    public var reordersStream = false
    /// How fast a stream is; nil where that is no limit.
    public var streamBytesPerMillisecond: UInt64?
    /// How many messages wait in front of a stream that is not fast enough. What finds no room is dropped, as PUB does.
    public var streamQueueCountMax = 16

    /// A network that only takes its time.
    public init() {}

    /// Nothing that is lost stays unnoticed or unmended for seconds: heads always come through at last, and snapshots
    /// are not broken off again and again.
    mutating func limitDelays() {
        controlResetPerMille = 0
        streamBytesPerMillisecond = nil
    }

    /// A network that only takes its time.
    public static let good = NetworkConditions()

    /// Conditions drawn from `generator`: from good to far worse than any real network. Each fault is there or not, so
    /// that none hides the others.
    public static func random(using generator: inout some RandomNumberGenerator) -> NetworkConditions {
        func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &generator)] }
        var conditions = NetworkConditions()
        conditions.streamLossPerMille = pick([0, 0, 10, 100, 300])
        conditions.duplicationPerMille = pick([0, 0, 50, 300])
        conditions.streamResetPerMille = pick([0, 0, 5, 20])
        conditions.controlResetPerMille = pick([0, 0, 20])
        conditions.malformedPerMille = pick([0, 0, 20, 100])
        conditions.lastingDamagePerMille = pick([0, 0, 0, 0, 30])
        conditions.delayMicroseconds = 50...pick([500, 5_000, 60_000])
        conditions.reordersStream = pick([false, true])
        conditions.streamBytesPerMillisecond = pick([nil, nil, nil, 20])
        conditions.streamQueueCountMax = pick([2, 16])
        return conditions
    }
}
