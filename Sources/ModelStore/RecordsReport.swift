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
    /// How many rows did not hold a record. They are gone from the file; what they stood for must be fetched anew.
    public var droppedCount = 0
    /// Some of them, the first where one thread reads.
    public var dropped: [Dropped] = []

    static let droppedMax = 100

    mutating func drop(_ row: Dropped) {
        droppedCount += 1
        if dropped.count < RecordsReport.droppedMax { dropped.append(row) }
    }
}
