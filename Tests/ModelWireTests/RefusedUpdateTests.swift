import ModelRecord
import ModelWire
import TestSupport
import Testing

@Suite struct RefusedUpdateTests {
    /// An update at fault, written by hand, and why it is left out.
    static let faults: [(hex: String, reason: RefusedUpdate.Reason)] = [
        ("84 00 01 60 a0", .id),
        ("84 00 01 63 610062 a0", .id),
        ("84 00 01 79 0100" + String(repeating: "61", count: 256) + " a0", .id),
        ("84 00 01 6131 a1 60 01", .field),
        ("84 00 01 6131 a1 78 81" + String(repeating: "61", count: 129) + " 01", .field),
        ("84 00 01 6131 a1 01 01", .field),
        ("84 00 01 6131 a1 41 61 01", .field),
        ("84 00 01 6131 a1 6161 1b8000000000000000", .integerRange),
        ("84 00 01 6131 a1 6161 3b8000000000000000", .integerRange),
        ("84 00 01 6131 a1 6161 81 1bffffffffffffffff", .integerRange),
        ("84 00 01 6131 a1 6161 c1 1bffffffffffffffff", .integerRange),
        ("84 00 01 6131 a1 6161 a1 01 02", .value),
        ("84 00 01 6131 a1 6161 f0", .value),
        ("84 00 01 6131 a1 6161 f820", .value),
        ("84 00 01 6131 a1 6161 82 f5 e0", .value),
        ("84 00 01 6131 a1 6161 " + String(repeating: "81", count: 17) + "00", .depth),
        ("84 00 01 6131 a1 6161 " + String(repeating: "c1", count: 17) + "00", .depth),
        ("84 00 01 6131 a1 6161 " + String(repeating: "81", count: 100_000) + "00", .depth),
        ("84 02 01 6131 a1 6161 00", .deleteWithFields),
    ]

    static let before = "84 00 00 6130 a1 6161 01"
    static let after = "84 01 02 6132 a1 6161 02"

    @Test(arguments: faults.indices, [false, true])
    func `an update at fault is left out and the rest of its batch stays`(index: Int, isSloppy: Bool) throws {
        let fault = Self.faults[index]
        let updates = Self.before + fault.hex + Self.after
        // The sloppy one is of indefinite length, so that the whole frame is transcoded.
        let frame = "86 00 6161 05 01 1864" + (isSloppy ? "9f" + updates + "ff" : "83" + updates)
        var decoder = BatchDecoder()
        let sample = try BatchSample(decoding: .init(hex: frame), with: &decoder)
        #expect(sample.updates.map(\.id) == ["0", "2"])
        #expect(sample.updates.map(\.stamp) == [100, 102])
        #expect(decoder.refused == [RefusedUpdate(index: 1, reason: fault.reason)])
        #expect(decoder.unknownOperations == 0)
        // The next frame begins anew.
        _ = try BatchSample(decoding: .init(hex: "86 00 6161 05 01 1864 81" + Self.before), with: &decoder)
        #expect(decoder.refused.isEmpty && decoder.updateCount == 1)
    }

    @Test func `an id with NUL anywhere is refused, whatever its length, and none without`() throws {
        var decoder = BatchDecoder()
        func decode(_ id: [UInt8]) throws -> Bool {
            let head = id.count < 24 ? [0x60 + UInt8(id.count)] : [0x78, UInt8(id.count)]
            let update = [0x84, 0, 0] + head + id + [0xA1, 0x61, 0x61, 1]
            try decoder.decode(([0x86, 0, 0x61, 0x61, 5, 1, 0x18, 0x64, 0x81] + update).span)
            return decoder.updateCount == 1
        }
        for count in 1...40 {
            // Neighbours of the values that a look by words could take for NUL or for ASCII.
            for byte in [0x01, 0x61, 0x7F] as [UInt8] {
                let id = [UInt8](repeating: byte, count: count)
                #expect(try decode(id))
                var writes = UpdateBuffer()
                try writes.append(id: String(decoding: id, as: UTF8.self), fields: ["a": 1], limits: .default)
                writes.hashIDs()
                #expect(writes.slices[0].idHash == Fingerprint.fnv(id.span))
                for place in 0..<count {
                    var bad = id
                    bad[place] = 0
                    #expect(try !decode(bad), "NUL at \(place) of \(count)")
                    #expect(throws: WireError.self) {
                        try writes.append(id: String(decoding: bad, as: UTF8.self), fields: ["a": 1], limits: .default)
                    }
                    bad[place] = 0xFF
                    #expect(throws: WireError.self, "no UTF-8 at \(place) of \(count)") { try decode(bad) }
                }
                #expect(writes.count == 1)
            }
        }
        #expect(try decode(Array("é in the first word, ø and ü later".utf8)))
    }

    @Test func `a batch of which nothing is left is still a batch`() throws {
        var decoder = BatchDecoder()
        let frame = "86 00 6161 05 01 1864 82" + Self.faults[0].hex + "84 00 02 60 a0"
        let sample = try BatchSample(decoding: .init(hex: frame), with: &decoder)
        #expect(sample.updates.isEmpty && decoder.sequence == 1 && decoder.lastStamp == 100)
        #expect(decoder.refused.map(\.index) == [0, 1])
    }

    @Test(arguments: [
        "84 00 01 60 a1 61ff 00", "84 00 01 6131 a1 01 ff", "84 00 01 60 a0 ff",
        "84 00 01 6131 a1 6161 1bffffffffffffffff 00",
        "84 00 01 6131 a1 6161 " + String(repeating: "81", count: 1000) + "ff",
    ])
    func `what is not well-formed behind the fault takes the whole batch down`(hex: String) {
        let frame = "86 00 6161 05 01 1864 83" + Self.before + hex + Self.after
        #expect(throws: WireError.self) { _ = try BatchSample(decoding: .init(hex: frame)) }
    }

    @Test func `null in the place of an update is malformed, whatever the encoding`() {
        for updates in ["82" + Self.before + "f6", "9f" + Self.before + "f6ff"] {
            let frame = "86 00 6161 05 01 1864" + updates
            #expect(throws: WireError.self) { _ = try BatchSample(decoding: .init(hex: frame)) }
        }
    }

    @Test func `the largest integers, names and ids are not at fault`() throws {
        let id = String(repeating: "i", count: 255)
        let field = String(repeating: "f", count: 128)
        var writer = BatchWriter()
        try writer.append(.merge, stamp: 1, id: id, fields: [field: .array([.int(.max), .int(.min)])])
        var decoder = BatchDecoder()
        let sample = try BatchSample(
            decoding: writer.finish(origin: "a", incarnation: 1, sequence: 1), with: &decoder)
        #expect(sample.updates.map(\.id) == [id])
        #expect(decoder.refused.isEmpty)
    }
}
