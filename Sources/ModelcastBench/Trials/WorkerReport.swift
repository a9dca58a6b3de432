/// A worker's report about itself, which it sends several times a second.
public struct WorkerReport: Codable, Sendable {
    /// The reason for a report.
    public enum Event: String, Codable, Sendable {
        /// The worker can be used; a publisher is bound.
        case ready
        /// The time for the next report has come.
        case status
        /// The load has ended.
        case rest
        /// The cache has been written to a file.
        case written
    }

    /// One type in the worker's cache.
    public struct TypeState: Codable, Hashable, Sendable {
        /// The name of the type.
        public var type: String
        /// How many models of the type there are.
        public var models: Int
        /// The digest in hexadecimal, because some JSON readers lose digits of 64-bit integers.
        public var digest: String
    }

    /// How far one stream has been applied.
    public struct StreamHead: Codable, Hashable, Sendable {
        /// The origin of the stream.
        public var origin: String
        /// The topic of the stream.
        public var topic: String
        /// The last sequence that was applied.
        public var sequence: UInt64
        /// The last sequence that is known to have been sent; nil where the report does not tell it.
        public var known: UInt64?
        /// The state of the stream; nil where the report does not tell it.
        public var state: String?
    }

    /// The reason for the report.
    public var event: Event
    /// The control endpoint of a publisher, in its first report.
    public var endpoint: String?
    /// How many updates were published, or received: with those that changed nothing, where they were received.
    public var updates: UInt64 = 0
    /// How often a write found the outbox full.
    public var backPressured: UInt64 = 0
    /// How many batches were applied.
    public var batches: UInt64 = 0
    /// How many records came in snapshots.
    public var snapshotRecords: UInt64 = 0
    /// How many snapshots were asked for.
    public var snapshots: UInt64 = 0
    /// How many holes were found.
    public var holesFound: UInt64 = 0
    /// How many holes filled by themselves.
    public var holesFilled: UInt64 = 0
    /// How many holes were mended by a replay or a snapshot.
    public var holesMended: UInt64 = 0
    /// All counters that are not zero, by name.
    public var counters: [String: UInt64] = [:]
    /// The worst state towards any sender; empty in a publisher's report.
    public var state = ""
    /// True when a copy is live towards all its senders.
    public var isLive = false
    /// How far each stream has been applied.
    public var heads: [StreamHead] = []
    /// The types in the cache.
    public var types: [TypeState] = []
    /// The median time from a publisher's call to this process's observer, in microseconds; nil before the first.
    public var lagMedian: UInt64?
    /// The 99th percentile of that time, in microseconds.
    public var lag99: UInt64?
    /// The greatest age of the copy, in milliseconds: publishers write beats all the time, and until a beat comes the
    /// copy is as old as the beat before it.
    public var stalenessMaxMilliseconds: UInt64 = 0
    /// The resident memory of the process.
    public var residentByteCount: UInt64 = 0
    /// A line for a person; nil for none.
    public var note: String?
    /// The address of a subscriber's inspector; nil where it serves none.
    public var inspector: String?

    init(_ event: Event) { self.event = event }

    /// How many models there are, of all types.
    public var models: Int { types.reduce(0) { $0 + $1.models } }

    /// The sum of the digests of all types.
    public var digest: String {
        Digests.text(types.reduce(0) { $0 &+ (UInt64($1.digest, radix: 16) ?? 0) })
    }
}
