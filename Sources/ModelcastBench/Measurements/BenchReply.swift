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
    case told(Told)
    case reads(Reads)
    case state(State)
    case sent(startNanoseconds: UInt64)
    /// - `samples`: how many had come, now and then.
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
        var fromIntended: LatencyRecording
        /// From the call.
        var fromCall: LatencyRecording
        /// Changes that stood for several, of which only the last was measured.
        var folded: Int
    }

    /// What the observers of the canonical load were told.
    public struct Told: Codable, Sendable {
        var ofType = 0
        var ofModels = 0
        /// Of those of the type, changes that stand for several.
        var folded = 0
        /// When the observer of the type was told last.
        var lastNanoseconds: UInt64 = 0
    }

    public struct Reads: Codable, Sendable {
        var perSecond: Double
        /// Processor time of one read.
        var processorNanoseconds: Double
        /// Reads that found nothing.
        var missed: Int
    }

    public struct Steady: Codable, Sendable {
        /// How many updates were published, and how long that took: longer than asked for where the load could not keep
        /// its rate.
        var count: Int
        var seconds: Double
        var backPressured: Int
        /// The longest that a step came after its time, in milliseconds.
        var latestMilliseconds: Double
        /// Where they were asked for.
        var steps: [Step] = []

        /// What was written in a row.
        public struct Step: Codable, Hashable, Sendable {
            /// When the first was written, since the load began.
            var microseconds: Int
            /// How many updates had been sent when all of it was written; what a model has already is not sent.
            var sentCount: Int
        }
    }

    /// How much had been applied or received at a time.
    public struct Sample: Codable, Sendable {
        var nanoseconds: UInt64
        var count: UInt64
    }

    /// What an observer was told that had slept.
    public struct Woken: Codable, Sendable {
        /// Changes that waited for it.
        var changes: Int
        /// Of them, those that stand for several.
        var folded: Int
        /// What it was told last of each model is what the cache holds.
        var isComplete: Bool
        /// How much the process grew while it slept.
        var grownByteCount: Int
    }

    public struct Warm: Codable, Sendable {
        /// From opening the file until all models can be read.
        var seconds: Double
        var models: Int
    }

    public struct State: Codable, Sendable {
        var models: Int
        var digest: String
        var isLive: Bool
        var appliedUpdates: UInt64
        var appliedBatches: UInt64
        var holesFound: UInt64
        /// What was counted, by name.
        var counters: [String: UInt64] = [:]
        /// What all threads have used since the process started.
        var processorSeconds: Double
    }
}
