import ModelCBOR

extension CellRecord {
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

    /// The value of `field`: nil when the field is unknown or the model does not exist, `.null` when it is known to be
    /// empty.
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
        guard isPresent else { return [:] }
        var result: [String: Value] = [:]
        result.reserveCapacity(cellCount)
        for cell in cells where cell.value != .undefined { result[cell.field] = cell.value }
        return result
    }

    /// The fields whose value differs between `older` and this record; a missing record has no fields.
    ///
    /// In order of the encoded names. Versions do not count: an equal value written again is no change.
    /// - Complexity: O(*n*) in the number of fields of both.
    public func changedFields(since older: CellRecord?) -> [String] {
        var changed: [String] = []
        forEachChange(since: older) { cell, bytes in
            changed.append(CBORReader(bytes).string(cell.name))
            return true
        }
        return changed
    }

    /// True when some field has another value than in `older`; a missing record has no fields.
    /// - Complexity: O(*n*) in the number of fields of both; up to the first that differs.
    func hasChangedFields(since older: CellRecord?) -> Bool {
        var isChanged = false
        forEachChange(since: older) { _, _ in
            isChanged = true
            return false
        }
        return isChanged
    }

    /// Calls `body` for each field whose value differs, until `body` returns false. The cell is that of this record if
    /// it has one, otherwise that of `older`.
    private func forEachChange(since older: CellRecord?, _ body: (CellSlice, Span<UInt8>) -> Bool) {
        // Withdrawn records have no fields to a reader.
        if let older, older.isWithdrawn { return forEachChange(since: nil, body) }
        if isWithdrawn {
            older?.forEachChange(since: nil, body)
            return
        }
        let new = bytes
        var right = CellRun(new, at: Int(storage.packed.cellsOffset), count: cellCount)
        guard let older else {
            while let mine = right.cell {
                if CellRecord.isKnown(mine, new), !body(mine, new) { return }
                right.advance()
            }
            return
        }
        let old = older.bytes
        var left = CellRun(old, at: Int(older.storage.packed.cellsOffset), count: older.cellCount)
        while true {
            var goesOn = true
            switch (left.cell, right.cell) {
            case (nil, nil): return
            case (let theirs?, nil):
                if CellRecord.isKnown(theirs, old) { goesOn = body(theirs, old) }
                left.advance()
            case (nil, let mine?):
                if CellRecord.isKnown(mine, new) { goesOn = body(mine, new) }
                right.advance()
            case (let theirs?, let mine?):
                let order = Bytes.compare(old.extracting(theirs.key), new.extracting(mine.key))
                if order < 0 {
                    if CellRecord.isKnown(theirs, old) { goesOn = body(theirs, old) }
                } else if order > 0 {
                    if CellRecord.isKnown(mine, new) { goesOn = body(mine, new) }
                } else if !Bytes.areEqual(old.extracting(theirs.value), new.extracting(mine.value)) {
                    goesOn = body(mine, new)
                }
                if order <= 0 { left.advance() }
                if order >= 0 { right.advance() }
            }
            if !goesOn { return }
        }
    }

    /// True unless the cell is that of a removed field.
    private static func isKnown(_ cell: CellSlice, _ bytes: Span<UInt8>) -> Bool {
        bytes[cell.value.lowerBound] != CBORConstant.undefinedByte
    }

    private func find<R>(_ field: String, _ body: (CellSlice, Span<UInt8>) -> R) -> R? {
        let name = field.utf8
        // No cell has a name of another size.
        guard (1...128).contains(name.count) else { return nil }
        var key: [UInt8] = []
        key.reserveCapacity(name.count + 2)
        if name.count < 24 { key.append(0x60 | UInt8(name.count)) } else { key += [0x78, UInt8(name.count)] }
        key.append(contentsOf: name)
        let bytes = storage.bytes
        let wanted = key.span
        let range = 0..<wanted.count
        let stop = CellScan(wanted, key: range)
            .run(bytes, from: Int(storage.packed.cellsOffset), cellCount, wanted, range)
        guard stop.isFound else { return nil }
        var reader = CBORReader(bytes, at: stop.offset)
        return body(CellSlice(reading: &reader), bytes)
    }

    /// Calls `body` for each cell, in order, until it returns false.
    func forEachCell(_ body: (CellSlice, Span<UInt8>) -> Bool) {
        let bytes = storage.bytes
        var reader = CBORReader(bytes, at: Int(storage.packed.cellsOffset))
        for _ in 0..<cellCount {
            guard body(CellSlice(reading: &reader), bytes) else { return }
        }
    }
}

/// A cell, as ranges of the encoded bytes: `field => [value, stamp, origin]`.
struct CellSlice {
    /// The encoded key, head included. Cells are ordered by their keys.
    var key: Range<Int>
    /// The field's name.
    var name: Range<Int>
    /// The encoded value.
    var value: Range<Int>
    /// The version that wrote the value.
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
        // The bytes were checked when they came in; a value that cannot be decoded is treated as unknown.
        let decoded = (try? Value(reading: &reader)) ?? .undefined
        return Cell(
            field: CBORReader(bytes).string(name), value: decoded, version: version.version(in: bytes))
    }
}
