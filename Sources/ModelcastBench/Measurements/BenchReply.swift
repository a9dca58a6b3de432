/// A reply of a process of the measurement. Times are CLOCK_MONOTONIC.
public enum BenchReply: Codable, Sendable {
    case ready(endpoint: String)
    case populated(seconds: Double)
    case generated(seconds: Double)
    case published(Published)
    case paced(lateness: LatencySummary, count: Int)
    case joined(Joined)
    case fetched(Fetched)
    case ended(nanoseconds: UInt64)
    case observing
    case latency(Latency)
    case told(Told)
    case reads(Reads)
    case state(State)
    case sent(startNanoseconds: UInt64)
    /// - `samples`: how many messages had come by which times.
    case received(endNanoseconds: UInt64, samples: [Sample] = [])
    case steady(Steady)
    case made(seconds: Double)
    case acknowledged(nanoseconds: UInt64)
    case applied(nanoseconds: UInt64)
    case asleep
    case woken(Woken)
    case warm(Warm)
    case left(seconds: Double)
    case processor(seconds: Double)
    case endpoint(String)
    case filled
    case writtenMixed(MixedWrites)
    case mixing
    case mixed(MixedFigures)
    case copy([WorkerReport.TypeState])
    case recording
    case frames([RecordedFrame])
    case subscribed
    case planned
    case progress(String)
    case part(BenchPart)
    case samples([Sample])

    /// A run of updates that was published.
    public struct Published: Codable, Sendable {
        var startNanoseconds: UInt64
        var endNanoseconds: UInt64
        /// How many updates were sent; the others changed nothing.
        var count: Int
        /// How often the outbox was full.
        var backPressured: Int
    }

    /// A subscriber that has joined.
    public struct Joined: Codable, Sendable {
        var seconds: Double
        var models: Int
        /// How much the process's resident memory has grown.
        var residentByteCount: Int
        /// The sum of the sizes of the encoded records.
        var encodedByteCount: Int
    }

    /// Models that were fetched one by one.
    public struct Fetched: Codable, Sendable {
        /// How many tasks fetched at a time.
        var askers: Int
        /// The time from the order to the last model.
        var seconds: Double
        var count: Int
        var latency: LatencySummary

        var perSecond: Double { Double(count) / seconds }
    }

    /// The latencies of one round.
    public struct Latency: Codable, Sendable {
        /// Latencies from the time at which the update ought to have been published.
        var fromIntended: LatencyRecording
        /// Latencies from the call.
        var fromCall: LatencyRecording
        /// How many changes stood for several updates, of which only the last was measured.
        var folded: Int
    }

    /// How many changes the observers of the canonical load were told.
    public struct Told: Codable, Sendable {
        var ofType = 0
        var ofModels = 0
        /// How many of the type's changes stand for several.
        var folded = 0
        /// When the observer of the type was told last.
        var lastNanoseconds: UInt64 = 0
    }

    /// The point reads of one measurement.
    public struct Reads: Codable, Sendable {
        var perSecond: Double
        /// The processor time of one read.
        var processorNanoseconds: Double
        /// Reads that found nothing.
        var missed: Int
    }

    /// A load at a steady rate.
    public struct Steady: Codable, Sendable {
        /// How many updates were published, and how long that took: longer than asked for where the load could not keep
        /// its rate.
        var count: Int
        var seconds: Double
        var backPressured: Int
        /// The longest that a step came after its time, in milliseconds.
        var latestMilliseconds: Double
        /// The steps, where the order asked for them.
        var steps: [Step] = []

        /// The updates that were written in one step.
        public struct Step: Codable, Hashable, Sendable {
            /// When the first was written, since the load began.
            var microseconds: Int
            /// How many updates had been sent at the end of the step. Updates that change nothing are not sent.
            var sentCount: Int
        }
    }

    /// How much had been applied or received at a time.
    public struct Sample: Codable, Sendable {
        var nanoseconds: UInt64
        var count: UInt64
    }

    /// The changes that an observer was told after it had slept.
    public struct Woken: Codable, Sendable {
        /// How many changes waited for it.
        var changes: Int
        /// How many of them stand for several.
        var folded: Int
        /// The last state of each model that the observer was told is the one that the cache holds.
        var isComplete: Bool
        /// How much the process grew while it slept.
        var grownByteCount: Int
    }

    /// A start with a store.
    public struct Warm: Codable, Sendable {
        /// The time from opening the file until all models can be read.
        var seconds: Double
        var models: Int
    }

    /// The state of a process and its copy.
    public struct State: Codable, Sendable {
        var models: Int
        var digest: String
        var isLive: Bool
        var appliedUpdates: UInt64
        var appliedBatches: UInt64
        var holesFound: UInt64
        /// The counters above zero, by name.
        var counters: [String: UInt64] = [:]
        /// The processor time of all threads since the process started.
        var processorSeconds: Double
    }
}
