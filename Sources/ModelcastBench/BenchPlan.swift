/// How large a measurement is.
public struct BenchPlan: Codable, Hashable, Sendable {
    /// Models of ten fields.
    public var models = 100_000
    /// Updates of two fields in each round of the throughput measurement.
    public var updates = 2_000_000
    /// Writes that are handed over together in the second kind of round.
    public var batch = 64
    /// Messages of raw libzmq in each of its rounds.
    public var rawMessages = 3_000_000
    /// How often throughput and latency are measured; the median counts.
    public var rounds = 3
    /// How long each round of a latency lasts.
    public var latencySeconds = 3.0
    /// Updates a second while latency is measured.
    public var latencyRate = 10_000.0
    /// How long each measurement of reads lasts.
    public var readSeconds = 2.0
    /// Updates a second while reads are measured.
    public var readWriterRate = 50_000.0
    /// What may wait between publisher and subscriber before anything is lost.
    public var queueMebibytes = 2048

    public init() {}
}

/// What a process of the measurement is; handed to it as JSON on its command line.
public enum BenchTask: Codable, Sendable {
    case publisher(BenchPlan)
    case subscriber(BenchPlan, endpoint: String)
    case rawSender
    case rawReceiver(endpoint: String)
}

/// What the parent asks of a process of the measurement. Each order has one reply.
public enum BenchOrder: Codable, Sendable {
    // A publisher.
    case populate
    case generate(count: Int)
    /// - Parameter batch: how many writes a call hands over; 1 for single calls.
    case publish(count: Int, batch: Int, run: Int)
    case publishPaced(rate: Double, seconds: Double)
    // A subscriber.
    case join
    case awaitEnd(run: Int)
    case observe
    case endObserving
    case read(threads: Int, seconds: Double, decoding: Bool)
    // Both.
    case state
    // Raw libzmq.
    case send(count: Int)
    case sendPaced(rate: Double, seconds: Double)
    case receive(count: Int)
    case receivePaced(count: Int)
}

/// What a process of the measurement answers. Times are CLOCK_MONOTONIC.
public enum BenchReply: Codable, Sendable {
    case ready(endpoint: String)
    case populated(seconds: Double)
    case generated(seconds: Double)
    case published(Published)
    case paced(lateness: LatencySummary, count: Int)
    case joined(Joined)
    case ended(nanoseconds: UInt64)
    case observing
    case latency(Latency)
    case reads(Reads)
    case state(State)
    case sent(startNanoseconds: UInt64)
    case received(endNanoseconds: UInt64)

    public struct Published: Codable, Sendable {
        var startNanoseconds: UInt64
        var endNanoseconds: UInt64
        /// Sent; the rest had the value already.
        var count: Int
        /// How often the outbox was full.
        var backPressured: Int
    }

    public struct Joined: Codable, Sendable {
        var seconds: Double
        var models: Int
        /// The memory that the models have cost.
        var residentByteCount: Int
        /// The sum of the encoded records.
        var encodedByteCount: Int
    }

    public struct Latency: Codable, Sendable {
        /// From the time at which the update ought to have been published.
        var fromIntended: LatencySummary
        /// From the call.
        var fromCall: LatencySummary
        /// Changes that stood for several, of which only the last was measured.
        var folded: Int
    }

    public struct Reads: Codable, Sendable {
        var perSecond: Double
        /// Processor time of one read.
        var processorNanoseconds: Double
        /// Reads that found nothing.
        var missed: Int
    }

    public struct State: Codable, Sendable {
        var models: Int
        var digest: String
        var isLive: Bool
        var appliedUpdates: UInt64
        var appliedBatches: UInt64
        var holesFound: UInt64
        /// What all threads have used since the process started.
        var processorSeconds: Double
    }
}
