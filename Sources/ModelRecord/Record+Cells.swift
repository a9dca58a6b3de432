import ModelCBOR

/// One field of a record: its value and the version that wrote it.
public struct Cell: Hashable, Sendable {
    public let field: String
    /// The value; ``Value/undefined`` for a field that was made unknown again.
    public let value: Value
    public let version: Version
}

extension Record {
    /// All cells, in the order of the encoded field names.
    /// - Complexity: O(*n*); decodes every value.
    public var cells: [Cell] {
        var result: [Cell] = []
        result.reserveCapacity(cellCount)
        forEachCell { cell, bytes in
            result.append(cell.decoded(in: bytes))
            return true
        }
        return result
    }

    /// The value of `field`: nil when the field is unknown or the model does not exist, `.null` when it is known to be empty.
    /// - Complexity: O(*n*) in the number of fields; decodes this value only.
    public subscript(field: String) -> Value? {
        let value = find(field) { cell, bytes in cell.decoded(in: bytes).value }
        return value == .undefined ? nil : value
    }

    /// The version that wrote `field`, if it has a cell.
    public func version(of field: String) -> Version? {
        find(field) { cell, bytes in cell.version.version(in: bytes) }
    }

    /// The known fields and their values; empty when the model does not exist.
    public var values: [String: Value] {
        guard exists else { return [:] }
        var result: [String: Value] = [:]
        result.reserveCapacity(cellCount)
        for cell in cells where cell.value != .undefined { result[cell.field] = cell.value }
        return result
    }

    /// The fields whose value differs between `older` and this record; a missing record has no fields.
    ///
    /// In order of the encoded names. Versions do not count: an equal value written again is no change.
    /// - Complexity: O(*n*) in the number of fields of both.
    public func changedFields(since older: Record?) -> [String] {
        var before: [String: [UInt8]] = [:]
        older?.forEachKnownValue { before[$0] = $1 }
        var changed: [String] = []
        if exists { forEachKnownValue { if before.removeValue(forKey: $0) != $1 { changed.append($0) } } }
        changed.append(contentsOf: before.keys)
        return changed.sorted(by: Fields.precedes)
    }

    private func forEachKnownValue(_ body: (String, [UInt8]) -> Void) {
        forEachCell { cell, bytes in
            if bytes[cell.value.lowerBound] != CBORConstant.undefinedByte {
                body(CBORReader(bytes).string(cell.name), cell.value.map { bytes[$0] })
            }
            return true
        }
    }

    private func find<R>(_ field: String, _ body: (CellSlice, Span<UInt8>) -> R) -> R? {
        var result: R?
        let wanted = field.utf8.span
        forEachCell { cell, bytes in
            guard cell.name.count == wanted.count else { return cell.name.count < wanted.count }
            guard Bytes.areEqual(bytes.extracting(cell.name), wanted) else { return true }
            result = body(cell, bytes)
            return false
        }
        return result
    }

    /// Calls `body` for each cell, in order, until it returns false.
    func forEachCell(_ body: (CellSlice, Span<UInt8>) -> Bool) {
        let bytes = storage.bytes
        var reader = CBORReader(bytes, at: Int(storage.header.cellsOffset))
        for _ in 0..<cellCount {
            guard body(CellSlice(reading: &reader), bytes) else { return }
        }
    }
}

/// A cell where it stands in encoded bytes: `field => [value, stamp, origin]`.
struct CellSlice {
    /// The encoded key, head included: what cells are ordered by.
    var key: Range<Int>
    /// The field's name.
    var name: Range<Int>
    /// The encoded value.
    var value: Range<Int>
    var version: VersionSlice
    /// Where the next cell begins.
    var end: Int

    /// Reads a cell from bytes that are known to be valid.
    @inline(__always)
    init(reading reader: inout CBORReader) {
        let start = reader.offset
        name = reader.skipValidText()
        key = start..<name.upperBound
        reader.offset &+= 1  // The head of an array of three.
        let valueStart = reader.offset
        reader.skipValidItem()
        value = valueStart..<reader.offset
        version = VersionSlice(cellTail: &reader)
        end = reader.offset
    }

    func decoded(in bytes: Span<UInt8>) -> Cell {
        var reader = CBORReader(bytes, at: value.lowerBound)
        // The bytes were checked when they came in; a value that cannot be told is treated as unknown.
        let decoded = (try? Value(reading: &reader)) ?? .undefined
        return Cell(
            field: CBORReader(bytes).string(name), value: decoded, version: version.version(in: bytes))
    }
}
