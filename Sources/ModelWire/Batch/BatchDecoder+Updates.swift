import ModelCBOR
import ModelRecord

extension BatchDecoder {
    /// Reads the updates of a batch, and notes the places of the accepted ones.
    mutating func readUpdates(_ count: Int, _ reader: inout CBORReader) throws(WireError) {
        slices.reserveCapacity(count)
        var updates = UpdateReader(stamp: stamp, limits: limits)
        var nextEarly = 0
        for index in 0..<count {
            if nextEarly < early.count, early[nextEarly].index == index {
                refused.append(early[nextEarly])
                nextEarly += 1
                reader.offset &+= 1  // The null that the transcoder wrote.
                continue
            }
            let start = reader.offset
            do {
                if let slice = try updates.next(&reader) { slices.append(slice) } else { unknownOperations += 1 }
            } catch {
                try refuse(index, error, from: start, &reader)
            }
        }
        UpdateSlice.hashIDs(of: &slices, in: reader.bytes)
    }

    /// Leaves out an update whose fault concerns it alone.
    /// - Throws: the fault of an update that makes the whole frame unusable.
    private mutating func refuse(
        _ index: Int, _ fault: UpdateFault, from start: Int, _ reader: inout CBORReader
    ) throws(WireError) {
        switch fault {
        case .frame(let error):
            throw error
        case .update(let reason):
            reader.offset = start
            do { try reader.skipWellFormed() } catch { throw WireError(error) }
            refused.append(RefusedUpdate(index: index, reason: reason))
        }
    }
}

/// Reads the updates of a batch, one after the other.
struct UpdateReader {
    private let stamp: Stamp
    private let fieldCountMax: Int
    private let valueByteCountMax: Int
    private let depth: Int
    /// True when every field of the usual shape is within the limits, so that its size is not checked.
    private let takesUsual: Bool
    /// The least offset that the next update may have: offsets rise within a batch.
    private var leastOffset: UInt64 = 0

    init(stamp: Stamp, limits: WireLimits) {
        self.stamp = stamp
        fieldCountMax = limits.fieldCount
        valueByteCountMax = limits.valueByteCount
        depth = limits.depth
        takesUsual = limits.valueByteCount >= UsualItem.byteCountMax
    }

    /// Reads `[operation, offset, id, fields]`. The caller fills in the hash of the id.
    /// - Returns: nil for an unknown operation; the reader stands behind that update.
    @inline(__always)
    mutating func next(_ reader: inout CBORReader) throws(UpdateFault) -> UpdateSlice? {
        let start = reader.offset
        let elementCount: Int
        let operation: UpdateOperation
        let updateStamp: Stamp
        do throws(CBORError) {
            elementCount = try reader.readArrayHead() ?? 0
            guard elementCount > 0 else { throw CBORError(.unexpectedType, at: start) }
            guard let known = UpdateOperation(rawValue: try reader.readUnsigned()) else {
                reader.offset = start
                try reader.skipWellFormed()
                return nil
            }
            operation = known
            guard elementCount >= 4 else { throw CBORError(.unexpectedType, at: start) }
            updateStamp = try readStamp(&reader)
        } catch {
            throw UpdateFault(shape: error)
        }
        let id = try readID(&reader)
        let fieldCount: Int
        do throws(CBORError) {
            guard let count = try reader.readMapHead() else { throw CBORError(.unexpectedType, at: reader.offset) }
            fieldCount = count
        } catch {
            throw UpdateFault(shape: error)
        }
        guard fieldCount <= fieldCountMax else { throw .update(.fieldCount) }
        if operation == .delete, fieldCount > 0 { throw .update(.deleteWithFields) }
        let fieldsStart = reader.offset
        try checkFields(fieldCount, &reader)
        let fields = fieldsStart..<reader.offset
        if elementCount > 4 { try skipExtra(elementCount - 4, &reader) }
        return UpdateSlice(
            operation: operation, stamp: updateStamp, idHash: 0, id: id, fields: fields, fieldCount: fieldCount)
    }

    /// Reads the offset, and adds it to the stamp of the batch.
    @inline(__always)
    private mutating func readStamp(_ reader: inout CBORReader) throws(CBORError) -> Stamp {
        let start = reader.offset
        let offset = try reader.readUnsigned()
        let (sum, isPast) = stamp.addingReportingOverflow(offset)
        guard offset >= leastOffset, !isPast, offset < .max else { throw CBORError(.unexpectedType, at: start) }
        leastOffset = offset &+ 1
        return sum
    }

    /// Reads the id and checks it.
    @inline(__always)
    private func readID(_ reader: inout CBORReader) throws(UpdateFault) -> Range<Int> {
        let id: Range<Int>
        do { id = try reader.readUncheckedText() } catch { throw UpdateFault(shape: error) }
        let facts = ByteFacts(reader.bytes, id)
        if facts.hasHighBit, !reader.isUTF8(id) {
            throw UpdateFault(shape: CBORError(.invalidUTF8, at: id.lowerBound))
        }
        guard !facts.hasNUL, id.count > 0, id.count <= 255 else { throw .update(.id) }
        return id
    }

    @inline(__always)
    private func checkFields(_ count: Int, _ reader: inout CBORReader) throws(UpdateFault) {
        var previous = reader.offset..<reader.offset
        var index = 0
        while index < count {
            index &+= 1
            if takesUsual, let key = reader.skipUsualPair(after: previous) {
                previous = key
                continue
            }
            let keyStart = reader.offset
            let isNamed: Bool
            guard let initial = reader.nextByte else {
                throw UpdateFault(shape: CBORError(.truncated, at: keyStart))
            }
            guard initial >> 5 == CBORMajor.text.rawValue else { throw .update(.field) }
            do {
                let name = try reader.readText()
                isNamed = name.count > 0 && name.count <= 128
                try reader.checkOrder(of: keyStart..<reader.offset, after: previous)
            } catch {
                throw UpdateFault(shape: error)
            }
            guard isNamed else { throw .update(.field) }
            let valueStart = reader.offset
            previous = keyStart..<valueStart
            do { try reader.skipValue(maxDepth: depth) } catch { throw UpdateFault(value: error) }
            guard reader.offset &- valueStart <= valueByteCountMax else { throw .update(.valueSize) }
        }
    }

    private func skipExtra(_ count: Int, _ reader: inout CBORReader) throws(UpdateFault) {
        do {
            for _ in 0..<count { try reader.skipItem(maxDepth: depth) }
        } catch {
            throw UpdateFault(value: error)
        }
    }
}
