@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelTypes
import ModelWire
import Testing

/// The record that comes of a model's fields on the wire.
func makeRecord<M: Model>(of model: M) throws -> CellRecord {
    try makeRecord(of: M.self, model.id, model.fields)
}

/// The record that comes of one write of these fields.
func makeRecord<M: Model>(of type: M.Type, _ id: M.ID, _ fields: Fields) throws -> CellRecord {
    let cache = ModelCache()
    var writer = BatchWriter()
    try writer.append(.merge, stamp: 1 << 16, id: id.idText, fields: fields)
    let frame = writer.finish(origin: "origin", incarnation: 1, sequence: 1)
    var decoder = BatchDecoder()
    try decoder.decode(frame.span)
    cache.commit(decoder.batch(in: frame.span), type: M.modelType)
    return try #require(cache[M.modelType, id.idText])
}
