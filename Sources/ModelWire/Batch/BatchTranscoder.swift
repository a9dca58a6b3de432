import ModelCBOR

/// Rewrites a batch in deterministic encoding. An update that cannot be rewritten becomes null and is noted.
struct BatchTranscoder {
    private let limits: WireLimits
    /// The updates that became null.
    private(set) var refused: [RefusedUpdate] = []

    init(limits: WireLimits) { self.limits = limits }

    /// Rewrites a frame.
    /// - Throws: ``WireError`` for a frame that is not well-formed, has a duplicate key, is no array, or has more
    ///   updates than the limit.
    mutating func transcode(_ frame: Span<UInt8>) throws(WireError) -> [UInt8] {
        do { return try rewrite(frame) } catch { throw WireError(error) }
    }

    private mutating func rewrite(_ frame: Span<UInt8>) throws(CBORError) -> [UInt8] {
        var reader = CBORReader(frame)
        var elements = CBORWriter(reserving: frame.count)
        let count = try reader.readArrayHead()
        var index = 0
        while count.map({ index < $0 }) ?? !reader.readBreak() {
            switch index {
            case 5: try rewriteUpdates(&reader, to: &elements)
            // The other known elements are scalars, or a list of topics: one level.
            case ...6: try elements.writeCanonical(&reader, maxDepth: 1)
            default: try reader.skipWellFormed()
            }
            index += 1
        }
        try reader.expectEnd()
        var rewritten = CBORWriter(reserving: elements.count + 1)
        rewritten.writeArrayHead(min(index, 7))
        rewritten.append(encoded: elements.bytes.span)
        return rewritten.bytes
    }

    private mutating func rewriteUpdates(_ reader: inout CBORReader, to writer: inout CBORWriter) throws(CBORError) {
        var updates = CBORWriter(reserving: reader.bytes.count)
        let start = reader.offset
        let count = try reader.readArrayHead()
        var index = 0
        while count.map({ index < $0 }) ?? !reader.readBreak() {
            guard index < limits.updateCount else { throw CBORError(.limit, at: start) }
            try rewriteUpdate(index, &reader, to: &updates)
            index += 1
        }
        writer.writeArrayHead(index)
        writer.append(encoded: updates.bytes.span)
    }

    private mutating func rewriteUpdate(
        _ index: Int, _ reader: inout CBORReader, to writer: inout CBORWriter
    ) throws(CBORError) {
        let start = reader.offset
        let mark = writer.count
        do {
            // Two levels above a value: the update and its map.
            try writer.writeCanonical(&reader, maxDepth: limits.depth + 2)
        } catch {
            guard error.code == .tooDeep else { throw error }
            reader.offset = start
            try reader.skipWellFormed()
            writer.bytes.removeLast(writer.count - mark)
            writer.writeNull()
            refused.append(RefusedUpdate(index: index, reason: .depth))
        }
    }
}
