/// What was measured beside throughput, latency and reads.
extension BenchResult {
    /// A subscriber that was stopped, and what it cost the others.
    public struct Recovery: Codable, Sendable {
        /// Updates a second that were published, in a window of the same load before, and during the stop.
        public var publishedPerSecondBefore = 0.0
        public var publishedPerSecond = 0.0
        /// Processor time that the publisher spent on one update, before and during.
        public var publisherNanosecondsBefore = 0.0
        public var publisherNanoseconds = 0.0
        /// The longest that a step of the load came late, in milliseconds, before and during.
        public var latestMillisecondsBefore = 0.0
        public var latestMilliseconds = 0.0
        /// How often the publisher's outbox was full during the stop.
        public var backPressured = 0
        /// How much the publisher's resident memory grew at most while the subscriber was stopped, and what may wait
        /// for a subscriber.
        public var publisherGrownByteCount = 0
        public var queueByteCount = 0
        /// What the publisher sent meanwhile, about, in bytes.
        public var sentByteCount = 0
        /// Holes of the subscriber that was not stopped.
        public var otherHoles: UInt64 = 0
        /// How far behind it was when the stop ended, in seconds.
        public var otherLagSeconds = 0.0
        /// From going on until the subscriber is live and holds all that had been published by then; the load goes on.
        public var seconds = 0.0
        /// What the stopped subscriber counted from the stop to the end, by name.
        public var counters: [String: UInt64] = [:]
    }

    /// An observer that slept while updates were applied.
    public struct SleepingObserver: Codable, Sendable {
        public var models = 0
        /// Updates that were applied while it slept.
        public var updates = 0
        /// Changes that waited for it in the end, and how many of them stand for several.
        public var changes = 0
        public var folded = 0
        /// How much the process grew.
        public var grownByteCount = 0
    }

    /// Joining with many models, and the same bytes over raw libzmq in chunks of the same size.
    public struct LargeJoin: Codable, Sendable {
        public var models = 0
        /// The medians.
        public var seconds = 0.0
        public var rawSeconds = 0.0
        public var rounds: [Double] = []
        public var rawRounds: [Double] = []
        /// Of each join to the raw rounds right before and after it.
        public var ratios: [Double] = []
        public var byteCount = 0
        public var residentByteCount = 0
        /// Processor time of one model, of the last join.
        public var publisherNanoseconds = 0.0
        public var subscriberNanoseconds = 0.0
    }

    /// Starting from a store.
    public struct WarmStart: Codable, Sendable {
        public var models = 0
        /// Until all can be read.
        public var seconds = 0.0
        /// From then on until it was live.
        public var liveSeconds = 0.0
        /// What the process before took to end, once it was told to: to write what was not in the file yet.
        public var leavingSeconds = 0.0
        public var fileByteCount = 0
        /// Updates that were published while no process ran.
        public var changedUpdates = 0
        /// What travelled until the new process was live.
        public var snapshotRecords = 0
        public var replayedBatches = 0
    }

    /// Updates pushed to a relay.
    public struct Push: Codable, Sendable {
        /// From the first call until the last is acknowledged.
        public var updatesPerSecond = 0.0
        public var updates = 0
        /// The relay made them durable first.
        public var isDurable = false
        public var pusherNanoseconds = 0.0
        public var relayNanoseconds = 0.0
    }

    /// Models as Swift types, in one process. All but the last two are nanoseconds of one call.
    public struct TypedModels: Codable, Sendable {
        public var models = 0
        /// Of a record by what `@Model` writes, by an initialiser by hand, and of its JSON by `JSONDecoder`.
        public var decodeNanoseconds = 0.0
        public var byHandNanoseconds = 0.0
        public var jsonNanoseconds = 0.0
        /// Reads of models at random: of the record, of the model that is kept on it, and of one that is not yet.
        public var pointReadNanoseconds = 0.0
        public var warmReadNanoseconds = 0.0
        public var coldReadNanoseconds = 0.0
        public var withNanoseconds = 0.0
        /// Where one property differs.
        public var diffNanoseconds = 0.0
        /// Typed reads by eight queues while one thread commits, and what that commits meanwhile.
        public var concurrentReadsPerSecond = 0.0
        public var concurrentUpdatesPerSecond = 0.0
    }

    /// A relay between publisher and subscriber.
    public struct Relay: Codable, Sendable {
        public var single = Figures()
        public var batched = Figures()

        public struct Figures: Codable, Sendable {
            /// Applied behind the relay.
            public var updatesPerSecond = 0.0
            /// Processor time that the relay spent on one update.
            public var relayNanoseconds = 0.0
            public var updatesPerFrame = 0.0
        }
    }
}
