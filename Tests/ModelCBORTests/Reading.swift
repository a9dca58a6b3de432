import ModelCBOR
@_spi(RecordWriting) import ModelRecord

/// The ways to read an item.
enum Way: CaseIterable {
    /// `skipItem`
    case skip
    /// `skipValue`
    case check
    /// `skipWellFormed`
    case wellFormed
    /// `Value(reading:)`
    case value
    /// `writeCanonical`
    case transcode
}

/// What an item was found to be.
struct Passed: Equatable {
    /// How many bytes it takes.
    var byteCount: Int
    var isDeterministic: Bool
}

/// Reads the first item of `bytes` in one of the ways.
func read(_ bytes: [UInt8], _ way: Way, maxDepth: Int = 64) -> Result<Passed, CBORError> {
    var reader = CBORReader(bytes.span)
    do throws(CBORError) {
        switch way {
        case .skip: try reader.skipItem(maxDepth: maxDepth)
        case .check: try reader.skipValue(maxDepth: maxDepth)
        case .wellFormed: try reader.skipWellFormed()
        case .value: _ = try Value(reading: &reader, maxDepth: maxDepth)
        case .transcode:
            var writer = CBORWriter()
            try writer.writeCanonical(&reader, maxDepth: maxDepth)
        }
        return .success(Passed(byteCount: reader.offset, isDeterministic: reader.isDeterministic))
    } catch {
        return .failure(error)
    }
}

/// The code with which reading fails, if it does.
func failure(_ bytes: [UInt8], _ way: Way, maxDepth: Int = 64) -> CBORError.Code? {
    if case .failure(let error) = read(bytes, way, maxDepth: maxDepth) { error.code } else { nil }
}

/// The size of the first item, if it can be read.
func byteCount(_ bytes: [UInt8], _ way: Way, maxDepth: Int = 64) -> Int? {
    if case .success(let passed) = read(bytes, way, maxDepth: maxDepth) { passed.byteCount } else { nil }
}

/// The encoding of a value.
func encoded(_ value: Value) -> [UInt8] {
    var writer = CBORWriter()
    writer.write(value)
    return writer.bytes
}

/// The value that the bytes are, all of them.
func decoded(_ bytes: [UInt8]) throws(CBORError) -> Value {
    var reader = CBORReader(bytes.span)
    let value = try Value(reading: &reader)
    try reader.expectEnd()
    return value
}

/// The deterministic form of the one item that the bytes are.
func canonicalForm(_ bytes: [UInt8]) throws(CBORError) -> [UInt8] {
    var reader = CBORReader(bytes.span)
    var writer = CBORWriter()
    try writer.writeCanonical(&reader, maxDepth: 64)
    try reader.expectEnd()
    return writer.bytes
}
