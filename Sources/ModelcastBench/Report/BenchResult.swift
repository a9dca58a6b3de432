/// What was measured. Where something was measured several times these are medians, and all figures are there too.
public struct BenchResult: Codable, Sendable {
    public var machine: MachineFacts
    public var plan: BenchPlan

    /// Messages a second of raw libzmq, 100 bytes, one frame.
    public var rawMessagesPerSecond = 0.0
    public var rawRounds: [Double] = []
    /// Processor time that all threads of each process of raw libzmq spent on one message, the medians.
    public var rawSenderNanoseconds = 0.0
    public var rawReceiverNanoseconds = 0.0
    /// One call for each.
    public var single = Throughput()
    /// ``BenchPlan/batch`` writes a call.
    public var batched = Throughput()
    /// What the load's own loop costs.
    public var generatorNanosecondsPerUpdate = 0.0
    public var holes: UInt64 = 0

    /// One way, in microseconds, from the time at which a message ought to have been sent.
    public var rawLatency: LatencySummary?
    /// The same from the call.
    public var rawLatencyFromCall: LatencySummary?
    public var latency: LatencySummary?
    public var latencyFromCall: LatencySummary?
    /// How late the load itself was.
    public var generatorLateness: LatencySummary?
    public var foldedChanges = 0

    public var reads = Reads()
    public var readsTwoThreads = Reads()
    /// Reads that decode one field of each record.
    public var fieldReads = Reads()
    /// Updates a second that were applied while reads were measured.
    public var writerRateDuringReads = 0.0

    public var residentBytesPerModel = 0.0
    public var encodedBytesPerModel = 0.0
    public var joinSeconds = 0.0
    public var populateNanosecondsPerModel = 0.0

    /// Making the fields of an update.
    public var fieldsNanosecondsPerUpdate: Double?
    public var recovery: Recovery?
    public var sleepingObserver: SleepingObserver?
    public var largeJoin: LargeJoin?
    public var warmStart: WarmStart?
    /// Without a store, then with one.
    public var pushes: [Push] = []
    public var relay: Relay?
    public var typedModels: TypedModels?

    init(machine: MachineFacts, plan: BenchPlan) {
        self.machine = machine
        self.plan = plan
    }

    /// Updates a second, from the first call to publish until the last is applied in the other process.
    public struct Throughput: Codable, Sendable {
        /// The median of ``rounds``.
        public var updatesPerSecond = 0.0
        public var rounds: [Double] = []
        /// Of each round to the rounds of raw libzmq right before and after it.
        public var ratios: [Double] = []
        /// What one update took on the loopback interface, TCP and IP headers included.
        public var wireBytesPerUpdate = 0.0
        /// How many updates one batch on the wire carried.
        public var updatesPerFrame = 0.0
        /// Processor time that all threads of the process spent on one update.
        public var publisherNanoseconds = 0.0
        public var subscriberNanoseconds = 0.0
        /// How often the publisher's outbox was full.
        public var backPressured = 0
    }

    /// Point reads while updates are applied.
    public struct Reads: Codable, Sendable {
        /// Of all threads together.
        public var perSecond = 0.0
        /// Processor time of one read.
        public var nanoseconds = 0.0
    }
}

extension Array where Element: Comparable {
    /// The middle one; of an even number the lower of the two.
    var median: Element? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
