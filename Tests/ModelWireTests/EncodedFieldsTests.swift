import ModelCBOR
import ModelRecord
import ModelWire
import TestSupport
import Testing

@Suite struct EncodedFieldsTests {
    @Test func `fields stand in the order of their encoded names`() throws {
        let encoded = try EncodedFields(["bb": 1, "a": nil, "c": .undefined, "ab": "x"])
        #expect(encoded.bytes == .init(hex: "6161 f6 6163 f7 626162 6178 626262 01"))
        #expect(encoded.count == 4)
    }

    @Test func `what is encoded is what receivers read`() throws {
        forEachSeed(5000) { _, generator in
            let fields = Fields.random(count: 6, depth: 3, using: &generator)
            let sample = BatchSample(
                updates: [.init(operation: .merge, stamp: 100, id: "1", fields: try EncodedFields(fields))])
            var decoder = BatchDecoder()
            let frame = sample.encode()
            try #require(try BatchSample(decoding: frame, with: &decoder) == sample)
            try #require(decoder.refused.isEmpty)
            var records = Records()
            records.apply(frame, with: decoder)
            let record = try #require(records.byID["1"])
            let known = fields.pairs.filter { $0.value != .undefined }
            try #require(record.values.count == known.count)
            for pair in known {
                let value = try #require(record[pair.field])
                try #require(encoded(value) == encoded(pair.value), "\(pair)")
            }
        }
    }

    @Test(arguments: [
        ("", "empty name"), (String(repeating: "f", count: 129), "129 bytes"),
        (String(repeating: "ü", count: 65), "130 bytes"),
    ])
    func `a bad name is refused and named`(name: String, mention: String) {
        let error = #expect(throws: WireError.self) { _ = try EncodedFields([name: 1]) }
        #expect(error?.code == .name)
        #expect(error?.description.contains(mention) == true, "\(String(describing: error))")
    }

    @Test(arguments: ["", "ff", "1c", "0000", "61ff", "a2 01 01 01 02", "5f"])
    func `a tagged item that is not CBOR is refused with its field`(hex: String) {
        let error = #expect(throws: WireError.self) {
            _ = try EncodedFields(["good": 1, "bad": .array([.tagged(4000, encoded: .init(hex: hex))])])
        }
        #expect(error?.code == .value)
        #expect(error?.description.contains("\"bad\"") == true)
    }

    @Test func `a tagged item in another encoding is made deterministic`() throws {
        let encoded = try EncodedFields(["a": .tagged(4000, encoded: .init(hex: "9f 1801 ff")), "b": 1])
        #expect(encoded.bytes == .init(hex: "6161 d90fa0 8101 6162 01"))
    }

    @Test func `a tag that claims a meaning its content lacks is refused`() {
        // Tag 1 on an integer that no receiver can hold.
        let error = #expect(throws: WireError.self) {
            _ = try EncodedFields(["bad": .tagged(1, encoded: .init(hex: "1bffffffffffffffff"))])
        }
        #expect(error?.code == .value)
    }

    @Test func `fields that do not fit into a frame together are refused`() {
        let limits = WireLimits(frameByteCount: 1000)
        let fields = Fields(
            Dictionary(uniqueKeysWithValues: (0..<10).map { ("f\($0)", .bytes([UInt8](repeating: 0, count: 100))) }))
        let error = #expect(throws: WireError.self) { _ = try EncodedFields(fields, limits: limits) }
        #expect(error?.code == .limit)
    }

    @Test func `a value nested beyond all reason is refused without running out of stack`() {
        var value: Value = 1
        for _ in 0..<5000 { value = .array([value]) }
        let error = #expect(throws: WireError.self) { _ = try EncodedFields(["deep": value]) }
        #expect(error?.code == .limit)
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "i", count: 256)])
    func `a bad id is refused before anything is appended`(id: String) {
        var writer = BatchWriter()
        let error = #expect(throws: WireError.self) { try writer.append(.merge, stamp: 1, id: id) }
        #expect(error?.code == .name)
        #expect(writer.isEmpty && writer.byteCount == 0)
    }

    private func encoded(_ value: Value) -> [UInt8] {
        var writer = CBORWriter()
        writer.write(value)
        return writer.bytes
    }
}
