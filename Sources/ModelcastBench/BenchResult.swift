/// What was measured. Where something was measured several times these are medians, and all figures are there too.
public struct BenchResult: Codable, Sendable {
    public var machine: MachineFacts
    public var plan: BenchPlan

    /// Messages a second of raw libzmq, 100 bytes, one frame.
    public var rawMessagesPerSecond = 0.0
    public var rawRounds: [Double] = []
    /// Updates a second, from the first call to publish until the last is applied in the other process.
    public var updatesPerSecond = 0.0
    public var updateRounds: [Double] = []
    /// What one update took on the loopback interface, TCP and IP headers included.
    public var wireBytesPerUpdate = 0.0
    public var updatesPerBatch = 0.0
    /// Processor time that all threads of the process spent on one update.
    public var publisherNanosecondsPerUpdate = 0.0
    public var subscriberNanosecondsPerUpdate = 0.0
    /// What the load's own loop costs.
    public var generatorNanosecondsPerUpdate = 0.0
    public var holes: UInt64 = 0
    /// How often the publisher's outbox was full.
    public var backPressured = 0

    /// One way, in microseconds, from the time at which a message ought to have been sent.
    public var rawLatency: LatencySummary?
    /// The same from the call.
    public var rawLatencyFromCall: LatencySummary?
    public var latency: LatencySummary?
    public var latencyFromCall: LatencySummary?
    /// How late the load itself was.
    public var generatorLateness: LatencySummary?
    public var foldedChanges = 0

    public var readsPerSecond = 0.0
    public var readsPerSecondTwoThreads = 0.0
    public var fieldReadsPerSecond = 0.0
    /// Updates a second that were applied while reads were measured.
    public var writerRateDuringReads = 0.0

    public var residentBytesPerModel = 0.0
    public var encodedBytesPerModel = 0.0
    public var joinSeconds = 0.0
    public var populateNanosecondsPerModel = 0.0

    init(machine: MachineFacts, plan: BenchPlan) {
        self.machine = machine
        self.plan = plan
    }

    /// Modelcast's updates for each message of raw libzmq.
    public var throughputRatio: Double { rawMessagesPerSecond > 0 ? updatesPerSecond / rawMessagesPerSecond : 0 }
}

extension Array where Element: Comparable {
    /// The middle one; of an even number the lower of the two.
    var median: Element? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
