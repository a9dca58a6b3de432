/// The outcome of reading all records.
public struct RecordsReport: Hashable, Sendable {
    /// A row that does not hold the record that was written.
    public struct Dropped: Hashable, Sendable {
        /// The name of the type, if the row has a known one.
        public var type: String?
        /// The id, as far as it is UTF-8.
        public var id: String
        /// The damage of the row, for a person.
        public var reason: String
    }

    /// How many records were handed out.
    public var recordCount = 0
    /// How many rows did not hold the record that was written. They were skipped and are still in the file; their
    /// models must be fetched anew.
    public var droppedCount = 0
    /// Up to 100 of the skipped rows. Where one thread reads, these are the first ones.
    public var dropped: [Dropped] = []

    /// The types of all skipped rows; an empty name where the type is not known.
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
