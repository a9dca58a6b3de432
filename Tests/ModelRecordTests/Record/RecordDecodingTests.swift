import ModelCBOR
@_spi(RecordWriting) import ModelRecord
import TestSupport
import Testing

/// Records out of bytes that others wrote: any encoding is accepted, nothing else is, and nothing traps.
struct RecordDecodingTests {
    @Test func `any well-formed encoding of a record gives the same record`() {
        forEachSeed(20_000, from: 2_000_000) { _, generator in
            for record in try records(&generator) {
                let scrambled = Scrambler.scramble(record, &generator)
                let read = try CellRecord(bytes: scrambled)
                try demand(read == record, "\(scrambled)\ngives \(read)\nnot   \(record)")
            }
        }
    }

    @Test func `mutated bytes never trap, and what is accepted is deterministic`() {
        var (tried, accepted) = (0, 0)
        forEachSeed(200_000, from: 3_000_000) { _, generator in
            var plan = MergePlan()
            for record in try records(&generator).prefix(1) {
                let start = Bool.random(using: &generator) ? record.array : Scrambler.scramble(record, &generator)
                let bytes = mutated(start, &generator)
                tried += 1
                var reader = CBORReader(bytes.span)
                guard let read = try? CellRecord(reading: &reader) else { continue }
                accepted += 1
                try demand(reader.offset <= bytes.count, "the reader stands past the end")
                try demandSound(read)
                let joined = CellRecord.joining(read, to: record, plan: &plan).record ?? record
                try demandSound(joined)
                try demand(joined.exists || joined.cellCount == 0, "a deleted model has cells")
            }
        }
        #expect(tried < 1000 || accepted > tried / 50, "too few mutated records are accepted to say anything")
    }

    @Test func `what follows a record changes nothing about how it is read`() {
        // Cells with room behind them are checked by words where they are of the usual shape, all others item by item.
        var (accepted, refused) = (0, 0)
        forEachSeed(100_000, from: 4_000_000) { _, generator in
            let record = try usual(&generator)
            let bytes = Bool.random(using: &generator) ? record.array : mutated(record.array, &generator)
            let padded = bytes + (0..<120).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var (alone, followed) = (CBORReader(bytes.span), CBORReader(padded.span))
            let (one, other) = (try? CellRecord(reading: &alone), try? CellRecord(reading: &followed))
            // Cut short, it may go on in what follows.
            guard one != nil || followed.offset <= bytes.count else { return }
            try demand(one == other, "\(bytes)\nalone \(one as Any)\nfollowed \(other as Any)")
            if let one {
                accepted += 1
                try demand(alone.offset == followed.offset, "\(alone.offset), not \(followed.offset)")
                try demand(one.digest == other?.digest && one.exists == other?.exists, "\(bytes) differs")
            } else {
                refused += 1
            }
        }
        #expect(accepted < 1000 || refused > 1000, "too few mutated records are refused to say anything")
    }

    /// A record as publishers make them: stamps of our days, short names, all kinds of values.
    private func usual(_ generator: inout SeededGenerator) throws -> CellRecord {
        func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: choices.indices, using: &generator)] }
        var model = Model()
        let base = 1_800_000_000_000 << 16
        for step in 0..<Int.random(in: 1...4, using: &generator) {
            let version = Version(
                stamp: Stamp(base + step * Int.random(in: 0...3, using: &generator)),
                origin: pick(["a", "prices", "publisher-with-a-long-name", "b"]))
            var fields: Fields = [:]
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                let name = pick([
                    "a", "bb", "age", "nick_name", "address.city", "größe", "a_name_of_23_characters_", "z",
                ])
                fields[name] = pick([
                    .null, .bool(true), .undefined, .int(Int64.random(in: -300...300, using: &generator)), .int(70_000),
                    .int(-5_000_000_000), .double(1.5), "text", "", "über", .text(String(repeating: "x", count: 40)),
                    .bytes([1, 2, 3]), [1, "x"], ["k": nil],
                ])
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                model.replace(version, fields)
            } else {
                model.merge(version, fields)
            }
        }
        return try #require(model.record)
    }

    @Test func `a record that stands behind others is read where it stands`() throws {
        let record = try example()
        var reader = CBORReader((record.array + record.array + [0x01]).span)
        #expect(try CellRecord(reading: &reader) == record)
        #expect(reader.offset == record.byteCount)
        #expect(try CellRecord(reading: &reader) == record)
        #expect(try reader.readUnsigned() == 1)
    }

    @Test(arguments: [5, 23, 24, 300])
    func `elements that an array has beyond those known are ignored`(count: Int) throws {
        let record = try example()
        let more = [UInt8](repeating: 0x60, count: count - 4)
        let longer = encodedHead(4, UInt64(count)) + record.array.dropFirst() + more
        #expect(try CellRecord(bytes: longer) == record)
    }

    @Test func `a tag of any number is kept`() throws {
        var model = Model()
        model.merge(1.by("a"), ["f": .tagged(.max, encoded: [0x01]), "g": 2])
        let record = try CellRecord(bytes: try #require(model.record).array)
        #expect(record["f"] == .tagged(.max, encoded: [0x01]))
        #expect(record["g"] == 2)
    }

    @Test func `values are read up to the depth that is asked for`() throws {
        var model = Model()
        model.merge(1.by("a"), ["f": [[[1]]]])
        let bytes = try #require(model.record).array
        #expect(try CellRecord(bytes: bytes, maxDepth: 3)["f"] == [[[1]]])
        #expect(code(of: bytes, maxDepth: 2) == .tooDeep)
        let bottomless = [0x84] + [UInt8](repeating: 0x81, count: 100_000)
        #expect(code(of: bottomless) == .tooDeep)
    }

    @Test func `what is no record is refused with its reason`() throws {
        let version: [UInt8] = [0x82, 0x05, 0x61, 0x61]
        func record(
            id: [UInt8] = [0x61, 0x69], floor: [UInt8] = [0xF6], touched: [UInt8]? = nil, _ cells: [UInt8] = [0xA0]
        ) -> [UInt8] { [0x84] + id + floor + (touched ?? version) + cells }
        func cell(_ name: [UInt8], _ content: [UInt8]) -> [UInt8] { [0xA1] + name + content }
        let good: [UInt8] = [0x83, 0x01, 0x05, 0x61, 0x61]
        let name: [UInt8] = [0x61, 0x66]
        #expect(code(of: record(cell(name, good))) == nil)
        #expect(code(of: []) == .truncated)
        #expect(code(of: [0x01]) == .unexpectedType)
        #expect(code(of: [0x83, 0x61, 0x69, 0xF6, 0xF6]) == .unexpectedType)
        #expect(code(of: record(id: [0x60])) == .limit)
        #expect(code(of: record(id: [0x61, 0x00])) == .limit)
        #expect(code(of: record(id: [0x41, 0x69])) == .unexpectedType)
        #expect(code(of: record(id: encodedText(String(repeating: "i", count: 256)))) == .limit)
        #expect(code(of: record(floor: [0x82, 0x05, 0x60])) == .limit)
        #expect(code(of: record(floor: [0x82, 0x05, 0x61, 0x2F])) == .limit)
        #expect(code(of: record(floor: [0x82, 0x20, 0x61, 0x61])) == .unexpectedType)
        #expect(code(of: record(floor: [0x81, 0x05])) == .unexpectedType)
        #expect(code(of: record(cell([0x60], good))) == .limit)
        #expect(code(of: record(cell(encodedText(String(repeating: "n", count: 129)), good))) == .limit)
        #expect(code(of: record(cell([0x01], good))) == .unexpectedType)
        #expect(code(of: record(cell(name, [0x82, 0x01, 0x05]))) == .unexpectedType)
        #expect(code(of: record([0xA2] + name + good + name + good)) == .duplicateKey)
        #expect(code(of: record([0xA3] + name + good + [0x61, 0x65] + good + name + good)) == .duplicateKey)
        #expect(code(of: record([0x80])) == .unexpectedType)
    }

    @Test func `a cell below the floor or above touched is refused, for no updates bring it about`() {
        func record(floor: Int?, touched: Int?, cell: Int) -> [UInt8] {
            func version(_ stamp: Int?) -> [UInt8] { stamp.map { [0x82, UInt8($0), 0x61, 0x61] } ?? [0xF6] }
            return [0x84, 0x61, 0x69] + version(floor) + version(touched) + [0xA1, 0x61, 0x66, 0x83, 1]
                + [UInt8(cell), 0x61, 0x61]
        }
        #expect(code(of: record(floor: nil, touched: 5, cell: 5)) == nil)
        #expect(code(of: record(floor: 5, touched: 5, cell: 5)) == nil)
        #expect(code(of: record(floor: 3, touched: 5, cell: 4)) == nil)
        #expect(code(of: record(floor: 3, touched: 5, cell: 2)) == .limit)
        #expect(code(of: record(floor: 3, touched: 5, cell: 6)) == .limit)
        #expect(code(of: record(floor: nil, touched: nil, cell: 1)) == .limit)
        #expect(code(of: record(floor: 5, touched: nil, cell: 5)) == .limit)
    }

    @Test func `an error tells where the record begins`() {
        let bytes: [UInt8] = [0x01, 0x84, 0x60, 0xF6, 0xF6, 0xA0]
        var reader = CBORReader(bytes.span, at: 1)
        var found: CBORError?
        do { _ = try CellRecord(reading: &reader) } catch { found = error }
        #expect(found == CBORError(.limit, at: 1))
    }

    private func code(of bytes: [UInt8], maxDepth: Int = 64) -> CBORError.Code? {
        do {
            _ = try CellRecord(bytes: bytes, maxDepth: maxDepth)
            return nil
        } catch {
            return (error as? CBORError)?.code
        }
    }

    private func example() throws -> CellRecord {
        var model = Model()
        model.replace(1.by("a"), ["f": 1])
        model.merge(2.by("b"), ["g": ["x": [nil, 1.5]], "h": .undefined])
        return try #require(model.record)
    }

    /// The records that a random set of updates leaves.
    private func records(_ generator: inout SeededGenerator) throws -> [CellRecord] {
        UpdateMix(&generator, updates: 1...6).records.shuffled(using: &generator)
    }

    /// All that a reader of a record may do with it, and the encoding.
    private func demandSound(_ record: CellRecord) throws {
        let bytes = record.array
        var reader = CBORReader(bytes.span)
        try reader.skipItem(maxDepth: 70)
        try demand(reader.isAtEnd && reader.isDeterministic, "\(bytes) is not deterministic")
        try demand(try CellRecord(bytes: bytes).array == bytes, "\(bytes) changes when it is read")
        try demand((1...255).contains(record.id.utf8.count), "the id is \(record.id)")
        let cells = record.cells
        try demand(cells.count == record.cellCount, "\(cells.count) cells, not \(record.cellCount)")
        let known = Set(cells.filter { $0.value != .undefined }.map { Array($0.field.utf8) })
        let changed = record.changedFields(since: nil).map { Array($0.utf8) }
        try demand(Set(changed) == known, "changed are \(changed), known \(known)")
        try demand(!record.description.isEmpty, "no description")
        let exists = record.touched.map { touched in record.floor.map { touched >= $0 } ?? true } ?? false
        try demand(record.exists == exists, "exists is \(record.exists)")
        try demand(record.exists || record.digest == 0, "a deleted model has a digest")
    }

    /// Changes a few bytes in one of several ways.
    private func mutated(_ start: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        let telling: [UInt8] = [
            0x00, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1F, 0x20, 0x3B, 0x40, 0x5F, 0x60, 0x61, 0x7B, 0x7F, 0x80, 0x82, 0x83,
            0x84, 0x85, 0x98, 0x9B, 0x9F, 0xA0, 0xA1, 0xBB, 0xBF, 0xC1, 0xD8, 0xDB, 0xF6, 0xF7, 0xF8, 0xF9, 0xFB, 0xFF,
        ]
        var bytes = start
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 1...12, using: &generator))
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[place] = UpdateMix.one(of: telling, &generator)
            case 2: bytes.insert(UpdateMix.one(of: telling, &generator), at: place)
            case 3: bytes.removeSubrange(place..<end)
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 5: bytes.removeSubrange(place...)
            default: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        return bytes
    }
}
