import ModelCache
import ModelRecord
import ModelTypes
import ModelWire
import Testing

/// The record that a model has after one merge.
func makeRecord(_ fields: Fields, id: String = "1") throws -> Record {
    var writer = BatchWriter()
    try writer.append(.merge, stamp: 1 << 16, id: id, fields: fields)
    let frame = writer.finish(origin: "origin", incarnation: 1, sequence: 1)
    var decoder = BatchDecoder()
    try decoder.decode(frame.span)
    let cache = ModelCache()
    cache.commit(decoder.batch(in: frame.span), type: "T")
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
