public import ModelRecord
public import ModelWire

/// A record and the type of its model, which the record itself does not know.
public struct StoredRecord: Hashable, Sendable {
    public var type: String
    public var record: CellRecord

    public init(type: String, record: CellRecord) {
        self.type = type
        self.record = record
    }
}

/// How far a topic of an origin is contained in the records of the store.
///
/// A replica keeps the last sequence that it applied, an origin the last one that it sent.
public struct StoredHead: Hashable, Sendable {
    public var origin: String
    public var topic: Topic
    public var incarnation: UInt64
    public var sequence: UInt64

    public init(origin: String, topic: Topic, incarnation: UInt64, sequence: UInt64) {
        self.origin = origin
        self.topic = topic
        self.incarnation = incarnation
        self.sequence = sequence
    }
}

/// What is known of an origin, the store's own one included.
public struct StoredOrigin: Hashable, Sendable {
    public var name: String
    /// The greatest incarnation; of an own origin the one that it runs as.
    public var incarnation: UInt64
    /// The greatest stamp; of an own origin its clock.
    public var stamp: Stamp

    public init(name: String, incarnation: UInt64, stamp: Stamp) {
        self.name = name
        self.incarnation = incarnation
        self.stamp = stamp
    }
}

/// A batch as it was sent, kept for replays.
public struct StoredBatch: Hashable, Sendable {
    public var origin: String
    public var incarnation: UInt64
    public var topic: Topic
    /// The number of the batch; the ring is in order up to 2^63.
    public var sequence: UInt64
    /// Unix milliseconds at which it was handed to the store; ``BatchRetention`` goes by this.
    public var writtenMilliseconds: UInt64
    /// The second frame of the message, unchanged.
    public var payload: [UInt8]

    public init(
        origin: String, incarnation: UInt64, topic: Topic, sequence: UInt64, writtenMilliseconds: UInt64,
        payload: [UInt8]
    ) {
        self.origin = origin
        self.incarnation = incarnation
        self.topic = topic
        self.sequence = sequence
        self.writtenMilliseconds = writtenMilliseconds
        self.payload = payload
    }
}

/// The batches of one incarnation on one topic, up to a sequence.
public struct BatchRange: Hashable, Sendable {
    public var origin: String
    public var incarnation: UInt64
    public var topic: Topic
    /// The last sequence of the range.
    public var through: UInt64

    public init(origin: String, incarnation: UInt64, topic: Topic, through: UInt64) {
        self.origin = origin
        self.incarnation = incarnation
        self.topic = topic
        self.through = through
    }
}

/// How much of the ring of batches is kept; the oldest go first, whatever their topic.
public struct BatchRetention: Hashable, Sendable {
    /// The payloads together take at most so many bytes.
    public var byteCountMax: Int
    /// Batches written before this moment (Unix milliseconds) go.
    public var writtenSinceMilliseconds: UInt64

    public init(byteCountMax: Int, writtenSinceMilliseconds: UInt64 = 0) {
        self.byteCountMax = byteCountMax
        self.writtenSinceMilliseconds = writtenSinceMilliseconds
    }
}
