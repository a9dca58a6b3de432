/// What a worker says of itself, several times a second.
public struct WorkerReport: Codable, Sendable {
    public enum Event: String, Codable, Sendable {
        /// Can be used; of a publisher: bound.
        case ready
        case status
        /// The load has ended.
        case rest
        /// The cache has been written to a file.
        case written
    }

    /// One type in the worker's cache.
    public struct TypeState: Codable, Hashable, Sendable {
        public var type: String
        public var models: Int
        /// In hexadecimal: JSON readers are not to be trusted with 64 bits.
        public var digest: String
    }

    /// How far one stream has been applied.
    public struct StreamHead: Codable, Hashable, Sendable {
        public var origin: String
        public var topic: String
        public var sequence: UInt64
        /// The last one that is known to have been sent, and the state of the stream.
        public var known: UInt64?
        public var state: String?
    }

    public var event: Event
    /// The control endpoint of a publisher.
    public var endpoint: String?
    /// Published, or received: those that changed something and those that did not.
    public var updates: UInt64 = 0
    /// Writes that had to wait because the outbox was full.
    public var backPressured: UInt64 = 0
    /// Batches received.
    public var batches: UInt64 = 0
    /// Records that came in snapshots, and how many snapshots were asked for.
    public var snapshotRecords: UInt64 = 0
    public var snapshots: UInt64 = 0
    public var holesFound: UInt64 = 0
    public var holesFilled: UInt64 = 0
    public var holesMended: UInt64 = 0
    /// All counters that are not zero, by name.
    public var counters: [String: UInt64] = [:]
    /// The worst state towards any publisher; of a publisher empty.
    public var state = ""
    public var isLive = false
    public var heads: [StreamHead] = []
    public var types: [TypeState] = []
    /// From a publisher's call to this subscriber's observer, in microseconds.
    public var lagMedian: UInt64?
    public var lag99: UInt64?
    /// The longest time from one write of a publisher that was seen here to the next, in milliseconds: the oldest that
    /// a copy became while its publisher was to write all the time.
    public var stalenessMaxMilliseconds: UInt64 = 0
    public var residentByteCount: UInt64 = 0
    /// Something to look at.
    public var note: String?

    init(_ event: Event) { self.event = event }

    /// How many models there are, of all types.
    public var models: Int { types.reduce(0) { $0 + $1.models } }

    /// The sum of the digests of all types.
    public var digest: String {
        Digests.text(types.reduce(0) { $0 &+ (UInt64($1.digest, radix: 16) ?? 0) })
    }
}
