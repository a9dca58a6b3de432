import ModelCBOR

/// Writes the bytes of a new record into memory that is exactly large enough.
///
/// Safe to use: every write is checked against the capacity, and a builder never leaves functions such as
/// ``make(id:idHash:floor:touched:exists:plan:old:other:stamp:origin:)``, which keep the memory alive.
@safe struct RecordBuilder {
    let start: UnsafeMutablePointer<UInt8>
    let capacity: Int
    var count = 0

    /// - Parameter start: `capacity` bytes of memory that outlive the builder and that nobody else reads yet.
    init(start: UnsafeMutablePointer<UInt8>, capacity: Int) {
        unsafe self.start = start
        self.capacity = capacity
    }

    /// Makes a record of `plan`.
    /// - Parameters:
    ///   - old: the bytes for runs from the old record.
    ///   - other: the bytes for runs from the record that is joined, or from an update.
    ///   - stamp: the stamp of the version for runs from an update; `origin` is the other half.
    static func make(
        id: Span<UInt8>, idHash: UInt64, floor: borrowing VersionView?, touched: borrowing VersionView?,
        exists: Bool, plan: borrowing MergePlan, old: Span<UInt8>, other: Span<UInt8>,
        stamp: Stamp, origin: Span<UInt8>
    ) -> CellRecord {
        let floorByteCount = versionSize(floor)
        let cellsOffset =
            RecordHeader.idOffset(id.count) + id.count + floorByteCount + versionSize(touched)
            + headSize(UInt64(plan.cellCount))
        let byteCount = cellsOffset + plan.byteCount
        precondition(byteCount <= Int(UInt32.max), "a record has outgrown 4 GiB")
        let header = RecordHeader(
            idHash: idHash, byteCount: UInt32(byteCount), cellsOffset: UInt32(cellsOffset),
            cellCount: UInt32(plan.cellCount), idByteCount: UInt8(id.count),
            floorByteCount: UInt8(floorByteCount), exists: exists)
        let storage = RecordStorage.make(header)
        let start = unsafe storage.start
        var builder = unsafe RecordBuilder(start: start, capacity: header.storedByteCount)
        builder.head(.array, 4)
        builder.head(.text, UInt64(id.count))
        builder.copy(id)
        builder.version(floor)
        builder.version(touched)
        builder.head(.map, UInt64(plan.cellCount))
        for run in plan.runs {
            switch run.source {
            case .old: builder.copy(old.extracting(run.start..<run.end))
            case .other: builder.copy(other.extracting(run.start..<run.end))
            case .update:
                builder.copy(other.extracting(run.start..<run.value))
                builder.head(.array, 3)
                builder.copy(other.extracting(run.value..<run.end))
                builder.head(.unsigned, stamp)
                builder.head(.text, UInt64(origin.count))
                builder.copy(origin)
            }
        }
        precondition(builder.count == byteCount, "a merge plan miscounted its bytes")
        builder.index(storage, header)
        return CellRecord(storage: storage)
    }

    /// Makes a record of encoded bytes that were checked and are deterministic.
    /// - Parameter header: describes `encoded`, all of it.
    static func copy(_ encoded: Span<UInt8>, _ header: RecordHeader) -> CellRecord {
        precondition(encoded.count == Int(header.byteCount), "a header describes other bytes")
        let storage = RecordStorage.make(header)
        let start = unsafe storage.start
        var builder = unsafe RecordBuilder(start: start, capacity: header.storedByteCount)
        builder.copy(encoded)
        builder.index(storage, header)
        return CellRecord(storage: storage)
    }

    /// Writes the directory of a record whose bytes are complete, see ``CellDirectory``.
    mutating func index(_ storage: RecordStorage, _ header: RecordHeader) {
        guard header.isSmall else { return directory(header, of: storage.bytes) }
        var header = header
        header.signposts = CellDirectory.Signposts(header, of: storage.bytes)
        storage.describe(header)
    }

    /// The size of the shortest head for `argument`.
    static func headSize(_ argument: UInt64) -> Int {
        if argument < 24 { return 1 }
        if argument <= 0xFF { return 2 }
        if argument <= 0xFFFF { return 3 }
        return argument <= 0xFFFF_FFFF ? 5 : 9
    }

    /// The size of an encoded stamp and origin.
    static func tailSize(stamp: Stamp, originByteCount: Int) -> Int {
        headSize(stamp) + headSize(UInt64(originByteCount)) + originByteCount
    }

    private static func versionSize(_ version: borrowing VersionView?) -> Int {
        switch version {
        case nil: 1
        case let version?: 1 + tailSize(stamp: version.stamp, originByteCount: version.origin.count)
        }
    }

    private mutating func version(_ version: borrowing VersionView?) {
        switch version {
        case nil: byte(CBORConstant.nullByte)
        case let version?:
            head(.array, 2)
            head(.unsigned, version.stamp)
            head(.text, UInt64(version.origin.count))
            copy(version.origin)
        }
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        precondition(count < capacity, "a merge plan miscounted its bytes")
        unsafe start[count] = byte
        count &+= 1
    }

    @inline(__always)
    mutating func head(_ major: CBORMajor, _ argument: UInt64) {
        let high = major.rawValue << 5
        let size = RecordBuilder.headSize(argument)
        if size == 1 { return byte(high | UInt8(truncatingIfNeeded: argument)) }
        if size == 9 { return longHead(high | 27, argument) }
        byte(high | (size == 2 ? 24 : size == 3 ? 25 : size == 5 ? 26 : 27))
        var shift = UInt64(size - 1) * 8
        while shift > 0 {
            shift -= 8
            byte(UInt8(truncatingIfNeeded: argument >> shift))
        }
    }

    /// Writes a head with an argument of eight bytes, mostly a stamp, with one check and one store.
    @inline(__always)
    mutating func longHead(_ initial: UInt8, _ argument: UInt64) {
        precondition(capacity &- count >= 9, "a merge plan miscounted its bytes")
        unsafe start[count] = initial
        unsafe UnsafeMutableRawPointer(start + count + 1).storeBytes(of: argument.bigEndian, as: UInt64.self)
        count &+= 9
    }

    @inline(__always)
    mutating func copy(_ span: Span<UInt8>) {
        precondition(span.count <= capacity &- count, "a merge plan miscounted its bytes")
        guard span.count > 0 else { return }
        // In bounds by the precondition; the span and the new object cannot overlap.
        unsafe span.withUnsafeBufferPointer { source in
            if let base = source.baseAddress {
                unsafe (start + count).update(from: base, count: source.count)
            }
        }
        count &+= span.count
    }
}
