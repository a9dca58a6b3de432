/// How bad the simulated network is. Everything is decided by the simulation's seed.
public struct NetworkConditions: Sendable {
    /// The chance that a message on a stream is lost, in thousandths.
    public var streamLossPerMille = 0
    /// The chance that a message on a stream arrives twice, in thousandths.
    public var duplicationPerMille = 0
    /// The chance that a stream's connection breaks at a message, in thousandths. All that is on its way is lost, as
    /// with TCP. libzmq then connects by itself, and the client's subscriptions are sent again.
    public var streamResetPerMille = 0
    /// The chance that a control connection breaks at a request or reply, in thousandths. It comes back under another
    /// routing identity.
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
    /// The speed of a stream in bytes per millisecond; nil for no limit.
    public var streamBytesPerMillisecond: UInt64?
    /// How many messages may wait for a stream that is not fast enough. A message that finds no room is dropped, as a
    /// PUB socket does.
    public var streamQueueCountMax = 16

    /// A network that delays messages, and does no harm to them.
    public init() {}

    /// Takes away the faults by which a loss stays unnoticed or unmended for seconds. Without them heads always come
    /// through at last, and snapshots are not broken off again and again.
    mutating func limitDelays() {
        controlResetPerMille = 0
        streamBytesPerMillisecond = nil
    }

    /// A network that delays messages, and does no harm to them.
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
