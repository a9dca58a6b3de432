import ModelCBOR

/// The pairs of a field map in the order of their encoded names: key, value, key, value, …, without the map's head.
///
/// ModelWire makes them from ``Fields`` and checks the limits on the way.
public struct EncodedFields: Hashable, Sendable {
    /// The encoded pairs.
    public let bytes: [UInt8]
    /// How many pairs there are.
    public let count: Int
    /// False where the fields do not say when the model ends.
    package let mayExpire: Bool

    /// No fields.
    public init() { self.init(bytes: [], count: 0) }

    /// Fields that are already encoded. The caller guarantees a deterministic encoding, sorted, without a duplicate
    /// key.
    public init(bytes: [UInt8], count: Int) { self.init(bytes: bytes, count: count, mayExpire: false) }

    /// - Parameter mayExpire: false where the fields do not say when the model ends.
    package init(bytes: [UInt8], count: Int, mayExpire: Bool) {
        (self.bytes, self.count, self.mayExpire) = (bytes, count, mayExpire)
    }

    /// These fields, and `undefined` for each field that `record` knows and these fields do not name.
    public func addingUndefined(for record: CellRecord) -> EncodedFields {
        var removed = 0
        return addingUndefined(for: record, removed: &removed)
    }

    /// Adds `undefined` like ``addingUndefined(for:)``.
    /// - Parameters:
    ///   - record: the model as it is.
    ///   - removed: set to the number of the record's cells that these fields do not name, which are removed fields
    ///     from then on; 0 if the model does not exist.
    public func addingUndefined(for record: CellRecord, removed: inout Int) -> EncodedFields {
        removed = 0
        guard record.exists else { return self }
        var result = CBORWriter(reserving: bytes.count + 16)
        var total = count
        let mine = bytes.span
        var fields = CBORReader(mine)
        var left = count
        var field = left > 0 ? FieldSlice(reading: &fields) : nil
        record.forEachCell { cell, old in
            while let candidate = field {
                let order = Bytes.compare(mine.extracting(candidate.key), old.extracting(cell.key))
                if order > 0 { break }
                result.append(encoded: mine.extracting(candidate.key.lowerBound..<candidate.value.upperBound))
                left -= 1
                field = left > 0 ? FieldSlice(reading: &fields) : nil
                if order == 0 { return true }
            }
            removed += 1
            if old[cell.value.lowerBound] != CBORConstant.undefinedByte {
                result.append(encoded: old.extracting(cell.key))
                result.writeUndefined()
                total += 1
            }
            return true
        }
        while let candidate = field {
            result.append(encoded: mine.extracting(candidate.key.lowerBound..<candidate.value.upperBound))
            left -= 1
            field = left > 0 ? FieldSlice(reading: &fields) : nil
        }
        return EncodedFields(bytes: result.bytes, count: total, mayExpire: mayExpire)
    }
}

extension EncodedFields {
    public static func == (left: EncodedFields, right: EncodedFields) -> Bool {
        left.count == right.count && left.bytes == right.bytes
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension CellRecord {
    /// Calls `body` with each encoded pair whose value this record does not hold, in order.
    ///
    /// One pass over the cells and the pairs; no value is decoded. A pair with `undefined` differs only from a known
    /// value.
    public func forEachDifference(from pairs: Span<UInt8>, count: Int, _ body: (Span<UInt8>) -> Void) {
        let cellBytes = bytes
        var cells = CBORReader(cellBytes, at: Int(storage.packed.cellsOffset))
        var cellsLeft = cellCount
        var cell = cellsLeft > 0 ? CellSlice(reading: &cells) : nil
        var fields = CBORReader(pairs)
        for _ in 0..<count {
            let field = FieldSlice(reading: &fields)
            var isHeld = pairs[field.value.lowerBound] == CBORConstant.undefinedByte
            while let candidate = cell {
                let order = Bytes.compare(cellBytes.extracting(candidate.key), pairs.extracting(field.key))
                if order > 0 { break }
                cellsLeft -= 1
                cell = cellsLeft > 0 ? CellSlice(reading: &cells) : nil
                guard order == 0 else { continue }
                isHeld = Bytes.areEqual(cellBytes.extracting(candidate.value), pairs.extracting(field.value))
                break
            }
            if !isHeld { body(pairs.extracting(field.key.lowerBound..<field.value.upperBound)) }
        }
    }
}
