@_spi(RecordWriting) import ModelRecord

/// Updates of one batch to one large model, which are joined to its record at the end of the batch.
///
/// Each update of a batch to the same model would copy the whole record: a frame of some kilobytes, with a thousand
/// updates to a model of a hundred megabytes, would keep everybody waiting for a minute. So the updates are joined
/// among themselves, always two of about the same size, and the large record is copied once. Joins may be done in any
/// order (protocol article, section 2).
struct LateUpdates {
    /// How many updates there are.
    private(set) var count = 0
    /// Records of 1, 2, 4, … updates; nil where there is none of that size.
    private var levels: [CellRecord?] = []

    /// How many records they are, for tests: as many as ``count`` has bits that are set.
    var heldCount: Int { levels.count { $0 != nil } }

    /// The size from which a record counts as large, in bytes.
    static let byteCountMin = 16 << 10

    /// Adds an update.
    /// - Complexity: O(log *updates*) joins, most of them of small records.
    mutating func add(_ update: borrowing UpdateView, plan: inout MergePlan) {
        guard var record = CellRecord.applying(update, to: nil, plan: &plan).record else { return }
        count += 1
        var level = 0
        while level < levels.count, let other = levels[level] {
            record = CellRecord.joining(record, to: other, plan: &plan).record ?? other
            levels[level] = nil
            level += 1
        }
        if level == levels.count { levels.append(record) } else { levels[level] = record }
    }

    /// All updates as one record.
    func joined(plan: inout MergePlan) -> CellRecord? {
        var joined: CellRecord?
        for case let record? in levels {
            joined = CellRecord.joining(record, to: joined, plan: &plan).record ?? joined
        }
        return joined
    }
}
