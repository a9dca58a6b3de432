@_spi(RecordWriting) import ModelRecord
import TestSupport

extension CellRecord {
    /// The record that one merge makes.
    static func of(_ id: String, _ fields: Fields, at stamp: Stamp) -> CellRecord {
        var batch = TestBatch()
        batch.add(.merge, id, fields, at: stamp)
        var records: [String: CellRecord] = [:]
        batch.merge(into: &records)
        guard let record = records[id] else { preconditionFailure("a merge makes a record") }
        return record
    }

    /// How many bytes of memory the record takes as limits count it.
    var heldByteCount: Int {
        let unmanaged = unsafe UnmanagedRecord(self)
        defer { unsafe unmanaged.release() }
        return unsafe unmanaged.storedByteCount
    }
}
