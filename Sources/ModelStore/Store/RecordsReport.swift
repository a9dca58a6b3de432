/// What came of reading all records.
public struct RecordsReport: Hashable, Sendable {
    /// A row that holds no record.
    public struct Dropped: Hashable, Sendable {
        /// The name of the type, if the row has a known one.
        public var type: String?
        /// The id, as far as it is text.
        public var id: String
        public var reason: String
    }

    /// How many records were handed out.
    public var recordCount = 0
    /// How many rows did not hold a record, or not the one that was written. They were passed over and are still in
    /// the file; what they stood for must be fetched anew.
    public var droppedCount = 0
    /// Some of them, the first where one thread reads.
    public var dropped: [Dropped] = []

    /// The types of all that were passed over; the empty name where a type is not known.
    public var droppedTypes: Set<String> = []

    static let droppedMax = 100

    mutating func drop(_ row: Dropped) {
        droppedCount += 1
        droppedTypes.insert(row.type ?? "")
        if dropped.count < RecordsReport.droppedMax { dropped.append(row) }
    }

    mutating func add(_ other: RecordsReport) {
        recordCount += other.recordCount
        droppedCount += other.droppedCount
        dropped += other.dropped.prefix(RecordsReport.droppedMax - dropped.count)
        droppedTypes.formUnion(other.droppedTypes)
    }
}
