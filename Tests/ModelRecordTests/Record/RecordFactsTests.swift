import ModelCBOR
import Testing

@_spi(RecordWriting) @testable import ModelRecord

/// What a record keeps of itself in front of its encoding, and what it reads from that.
struct RecordFactsTests {
    /// A record of so many fields.
    private static func record(
        id: String, fields: Int, _ operation: UpdateOperation = .merge, origin: String = "a"
    ) throws -> CellRecord {
        var plan = MergePlan()
        let pairs = (0..<fields).map { ("f\($0)", Value.int(Int64($0))) }
        let update = EncodedUpdate(
            operation, Version(stamp: 1 << 40, origin: origin), id: id,
            Fields(Dictionary(pairs) { first, _ in first }))
        return try #require(update.apply(to: nil, plan: &plan).record)
    }

    private static func check(_ record: CellRecord, id: String, fields: Int) throws {
        #expect(record.id == id && record.hasID(id.utf8.span) && record.idHash == Fingerprint.fnv(id))
        #expect(record.cellCount == fields && record.cells.count == fields && record.exists)
        // A copy through the decoder tells the same of itself, whose facts come of reading all of it.
        var reader = CBORReader(record.bytes)
        let copy = try CellRecord(reading: &reader)
        let (own, other) = (record.storage.facts, copy.storage.facts)
        #expect(own.byteCount == other.byteCount && own.cellsOffset == other.cellsOffset)
        #expect(own.cellCount == other.cellCount && own.idByteCount == other.idByteCount)
        #expect(own.floorByteCount == other.floorByteCount && own.touchedOffset == other.touchedOffset)
        #expect(own.idHash == other.idHash && own.exists == other.exists)
        #expect(record == copy && record.storage.places == copy.storage.places)
    }

    @Test(arguments: [0, 1, 23, 24, 255, 256, 65_535, 65_536])
    func `the number of cells is read from heads of all sizes`(fields: Int) throws {
        try Self.check(Self.record(id: "model", fields: fields), id: "model", fields: fields)
    }

    @Test(arguments: [1, 23, 24, 255]) func `ids, floors and versions of all sizes are told`(byteCount: Int) throws {
        let id = String(repeating: "i", count: byteCount)
        for origin in ["a", String(repeating: "o", count: 64)] {
            for operation in [UpdateOperation.merge, .replace] {
                let record = try Self.record(id: id, fields: 3, operation, origin: origin)
                try Self.check(record, id: id, fields: 3)
                #expect(record.touched == Version(stamp: 1 << 40, origin: origin))
                #expect(record.floor == (operation == .replace ? record.touched : nil))
            }
        }
    }

    @Test(arguments: [0, 1, 2, 3, 10, 22, 23, 24, 25, 28, 100, 1_023, 1_024, 1_025, 9_000])
    func `a search for a cell begins at one before it, of which it is known where it begins`(fields: Int) throws {
        for byteCount in [1, 100] {
            let id = String(repeating: "i", count: byteCount)
            let record = try Self.record(id: id, fields: fields)
            let header = record.storage.facts
            let directory = CellDirectory(header)
            var offset = Int(header.cellsOffset)
            var begins: [Int] = []
            var farthest = 0
            for cell in 0..<fields {
                begins.append(offset)
                offset = CellScan.end(record.bytes, ofCellAt: offset)
                let place = directory.nearest(cell, in: record.storage.stored)
                try #require(place.cell <= cell && place.offset == begins[place.cell])
                farthest = max(farthest, cell - place.cell)
            }
            #expect(offset == record.byteCount)
            // Larger ones have none.
            if fields <= 1_024 { #expect(farthest < (header.isSmall ? 8 : 4)) }
            #expect(header.isSmall == (fields < 24 && record.byteCount < 1_024))
            #expect(record.storage.storedByteCount == header.storedByteCount)
        }
    }

    @Test func `the hash of the id is told also when something is kept on the record`() throws {
        var lowestBits: Set<UInt64> = []
        for number in 0..<16 {
            let record = try Self.record(id: "m\(number)", fields: 2)
            let text = unsafe record.keep(KeptNote("a view"), .text)
            #expect(unsafe text.isFirst)
            #expect(record.idHash == Fingerprint.fnv("m\(number)"))
            let other = unsafe record.keep(KeptNote(number), .number)
            #expect(unsafe other.isFirst)
            #expect(record.idHash == Fingerprint.fnv("m\(number)"))
            #expect(record.note(.text) == "a view" && record.note(.number) == number)
            lowestBits.insert(record.idHash & 1)
        }
        #expect(lowestBits == [0, 1])
    }

    @Test func `a small record takes 31 bytes beside its encoding, and malloc gives no byte more`() throws {
        #expect(RecordStorage.headerByteCount == 31)
        for sizeClass in 1..<200 {
            let capacity = SpareRecords.capacity(ofClass: sizeClass)
            #expect((RecordStorage.headerByteCount + capacity) % 16 == 8)
            #expect(SpareRecords.sizeClass(capacity) == sizeClass)
            #expect(SpareRecords.sizeClass(capacity + 1) == sizeClass + 1)
        }
        let record = try Self.record(id: "model", fields: 3)
        #expect(record.storage.storedByteCount == record.byteCount)
        let object = unsafe UInt(bitPattern: Unmanaged.passUnretained(record.storage).toOpaque())
        #expect(unsafe UInt(bitPattern: record.storage.start) - object == 31)
    }
}
