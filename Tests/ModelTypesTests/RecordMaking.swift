import ModelCache
import ModelRecord
import ModelTypes
import ModelWire
import TestSupport
import Testing

/// The record that a model has after one merge.
func makeRecord(_ fields: Fields, id: String = "1") throws -> CellRecord {
    var writer = BatchWriter()
    try writer.append(.merge, stamp: 1 << 16, id: id, fields: fields)
    let cache = ModelCache()
    try cache.commit(writer, type: "T")
    return try #require(cache["T", id])
}

/// What came of an attempt.
func outcome<R: Equatable>(_ body: () throws(FieldFault) -> R) -> Result<R, FieldFault> {
    do {
        return .success(try body())
    } catch {
        return .failure(error)
    }
}
