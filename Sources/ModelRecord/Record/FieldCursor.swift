import ModelCBOR

/// Reads the fields of a record in place, for typed models, without a dictionary or a tree in between.
///
/// ```swift
/// var cursor = FieldCursor(record)
/// let age = cursor.find(ageName) ? cursor.int : nil
/// ```
/// Fields may be asked for in any order; in the order of ``FieldName`` one pass finds all of them. A cursor is a value
/// for one task, and keeps its record alive.
public struct FieldCursor {
    /// The position of the cursor.
    private struct CursorPosition {
        /// The encoded name of the field that was found last; empty before the first.
        var key = 0..<0
        /// The offset of its value; 0 before the first.
        var value = 0
        /// The offset of the next cell.
        var next: Int
        /// The number of cells from `next` on.
        var left: Int
    }

    private let record: CellRecord
    private var position: CursorPosition

    /// A cursor before the first field. In a model that does not exist it finds no field.
    public init(_ record: CellRecord) {
        self.record = record
        position = CursorPosition(next: Int(record.storage.packed.cellsOffset), left: record.cellCount)
    }

    /// Moves to the value of a field.
    /// - Returns: false when the field is unknown; the cursor has not moved then.
    /// - Complexity: O(1) for the field behind the last one, otherwise O(*fields*).
    public mutating func find(_ name: FieldName) -> Bool {
        guard let position = position(of: name) else { return false }
        self.position = position
        return true
    }

    private func position(of name: FieldName) -> CursorPosition? {
        // No cell has a name of that size.
        guard name.text.utf8.count <= Names.fieldByteCountMax else { return nil }
        let bytes = record.storage.bytes
        let key = name.key.span
        let scan = CellScan(key, key: 0..<key.count)
        var left = position.left
        var stop = scan.run(bytes, from: position.next, left, key, 0..<key.count)
        if !stop.isFound, !position.key.isEmpty, Bytes.compare(key, bytes.extracting(position.key)) <= 0 {
            // The field stands before the cursor, if anywhere.
            left = record.cellCount
            stop = scan.run(bytes, from: Int(record.storage.packed.cellsOffset), left, key, 0..<key.count)
        }
        guard stop.isFound else { return nil }
        var reader = CBORReader(bytes, at: stop.offset)
        let cell = CellSlice(reading: &reader)
        guard bytes[cell.value.lowerBound] != CBORConstant.undefinedByte else { return nil }
        return CursorPosition(key: cell.key, value: cell.value.lowerBound, next: cell.end, left: left - stop.count - 1)
    }
}

/// The value of the field that was found last; before the first field each of these is nil or false.
extension FieldCursor {
    /// True when the field is known to be empty.
    public var isNull: Bool { initialByte == CBORConstant.nullByte }

    /// The Boolean, if it is one.
    public var bool: Bool? {
        switch initialByte {
        case CBORConstant.trueByte: true
        case CBORConstant.falseByte: false
        default: nil
        }
    }

    /// The integer, if it is one.
    public var int: Int64? {
        guard let head, head.major == .unsigned || head.major == .negative else { return nil }
        // An integer outside 64 signed bits is in no record.
        let magnitude = Int64(truncatingIfNeeded: head.argument)
        return head.major == .unsigned ? magnitude : ~magnitude
    }

    /// The number, if it is a double.
    public var double: Double? { head.flatMap(CBORFloat.value(of:)) }

    /// The text, if it is one.
    public var text: String? {
        guard let initialByte, initialByte >> 5 == CBORMajor.text.rawValue else { return nil }
        var reader = CBORReader(record.storage.bytes, at: position.value)
        return (try? reader.readUncheckedText()).map { reader.string($0) }
    }

    /// The value, of any kind; nil before the first field.
    public var value: Value? {
        guard position.value > 0 else { return nil }
        var reader = CBORReader(record.storage.bytes, at: position.value)
        // The bytes were checked when they came in.
        return try? Value(reading: &reader)
    }

    private var initialByte: UInt8? { position.value > 0 ? record.storage.bytes[position.value] : nil }

    private var head: CBORHead? {
        guard position.value > 0 else { return nil }
        var reader = CBORReader(record.storage.bytes, at: position.value)
        return try? reader.readHead()
    }
}
