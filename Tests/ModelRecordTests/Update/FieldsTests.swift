import ModelCBOR
@_spi(RecordWriting) import ModelRecord
import TestSupport
import Testing

struct FieldsTests {
    @Test func `fields stand in the order of their encoded names: shorter ones first, then bytewise`() {
        let fields: Fields = ["bb": 1, "b": 2, "a": 3, "é": 4, "aaa": 5, "B": 6]
        let names = ["B", "a", "b", "bb", "é", "aaa"]
        #expect(fields.pairs.map(\.field) == names)
        #expect(names.map(encodedText).sorted { $0.precedes($1) } == names.map(encodedText))
        #expect(Fields(["bb": 1, "b": 2, "a": 3, "é": 4, "aaa": 5, "B": 6]) == fields)
    }

    @Test func `a description has names and values`() {
        #expect(Fields(["name": "Ada", "age": nil]).description == "[age: null, name: text(\"Ada\")]")
        #expect("\(["tags": ["a"]] as Fields)" == "[tags: array([ModelRecord.Value.text(\"a\")])]")
    }

    @Test func `a name that is given twice takes its last value`() {
        let fields: Fields = ["a": 1, "b": 2, "a": 3]
        #expect(fields.count == 2)
        #expect(fields["a"] == 3)
    }

    @Test func `fields are set, changed and taken out`() {
        var fields = Fields([:])
        #expect(fields.isEmpty)
        fields["a"] = 1
        fields["b"] = .null
        fields["a"] = 2
        #expect(fields["a"] == 2)
        #expect(fields["b"] == .null)
        #expect(fields["c"] == nil)
        fields["b"] = nil
        fields["c"] = nil
        #expect(fields == ["a": 2])
        #expect(!fields.isEmpty)
    }

    @Test func `names are told apart by their bytes`() {
        // The Ångström sign, and A with a combining ring: equal to Unicode, of the same length, two fields.
        var fields: Fields = ["\u{212B}": 1]
        fields["A\u{30A}"] = 2
        #expect(fields.count == 2)
        #expect(fields["\u{212B}"] == 1)
        #expect(fields["A\u{30A}"] == 2)
    }
}

/// Fields are kept encoded; nobody may notice.
struct FieldsRepresentationTests {
    private static let names = ["a", "b", "bb", "ba", "é", "seven77", "eight888", String(repeating: "l", count: 40)]

    private static let values: [Value] = [
        .null, .undefined, .bool(true), .bool(false), .int(-1), .int(23), .int(24), .int(.min), .int(.max),
        .double(0.1), .double(1.5), .text(""), .text("short"), .text(String(repeating: "x", count: 300)), .bytes([]),
        .bytes([1, 2, 3]), .uri("a:b"), .timestamp(1), .timestamp(0.5), .array([1, .array([])]), .map(["k": 1]),
        .tagged(4000, encoded: [0xFF]),
    ]

    private func encoded(_ pairs: [Fields.Pair]) -> [UInt8] {
        var writer = CBORWriter()
        for pair in pairs {
            writer.write(text: pair.field)
            writer.write(pair.value)
        }
        return writer.bytes
    }

    @Test func `fields that are set and taken out in any order are those of a dictionary`() {
        forEachSeed(3_000) { _, generator in
            var fields: Fields = [:]
            var dictionary: [String: Value] = [:]
            let flat = Bool.random(using: &generator)
            let values = flat ? Array(Self.values.dropLast(3)) : Self.values
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let name = try #require(Self.names.randomElement(using: &generator))
                var value = values.randomElement(using: &generator)
                if Int.random(in: 0...3, using: &generator) == 0 { value = nil as Value? }
                fields[name] = value
                dictionary[name] = value
                try #require(fields[name] == value)
            }
            let again = Fields(dictionary)
            try #require(fields == again && fields.hashValue == again.hashValue)
            try #require(fields.count == dictionary.count && fields.isEmpty == dictionary.isEmpty)
            try #require(Dictionary(uniqueKeysWithValues: fields.pairs.map { ($0.field, $0.value) }) == dictionary)
            for name in Self.names { try #require(fields[name] == dictionary[name]) }
            try #require(again.pairs.map(\.field) == dictionary.keys.sorted(by: Fields.precedes))
            if let bytes = fields.encoded?.bytes { try #require(bytes == encoded(again.pairs)) }
            if flat { try #require(fields.encoded?.count == dictionary.count) }
        }
    }

    @Test func `a literal in any order is what setting its fields gives`() {
        forEachSeed(200) { _, generator in
            let v = (0..<4).map { _ in Self.values.randomElement(using: &generator) ?? .null }
            let n = (0..<4).map { _ in Self.names.randomElement(using: &generator) ?? "a" }
            let literal: Fields = [n[0]: v[0], n[1]: v[1], n[2]: v[2], n[3]: v[3]]
            var set = Fields([:])
            for index in 0..<4 { set[n[index]] = v[index] }
            try #require(literal == set)
            try #require(literal.encoded == set.encoded)
        }
    }

    @Test func `texts of any length are encoded as a writer does`() {
        for count in [0, 1, 3, 4, 7, 8, 15, 16, 23, 24, 31, 32, 33, 64, 255, 256, 65_535, 65_536] {
            let text = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
            let fields: Fields = [text: .text(text)]
            #expect(fields.encoded?.bytes == encoded(fields.pairs))
            #expect(fields[text] == .text(text))
        }
    }
}

/// What a publisher sends of new values for a model that it knows.
struct EncodedFieldsTests {
    private func encoded(_ fields: Fields) -> EncodedFields {
        var writer = CBORWriter()
        for pair in fields.pairs {
            writer.write(text: pair.field)
            writer.write(pair.value)
        }
        return EncodedFields(bytes: writer.bytes, count: fields.count)
    }

    private func differences(_ record: CellRecord, _ fields: Fields) -> [String] {
        let pairs = encoded(fields)
        var names: [String] = []
        record.forEachDifference(from: pairs.bytes.span, count: pairs.count) { pair in
            var reader = CBORReader(pair)
            if case .text(let name) = try? Value(reading: &reader) { names.append(name) }
        }
        return names
    }

    @Test func `only values that a record does not hold are differences`() throws {
        var model = Model()
        model.merge(1.by("a"), ["a": 1, "c": 3, "dd": nil, "e": .undefined])
        let record = try #require(model.record)
        #expect(differences(record, ["a": 1, "c": 3, "dd": nil, "e": .undefined]) == [])
        #expect(differences(record, ["a": 2, "b": 2, "c": 3, "dd": 4, "zzz": 5]) == ["a", "b", "dd", "zzz"])
        #expect(differences(record, ["a": .undefined, "b": .undefined, "e": 1]) == ["a", "e"])
        #expect(differences(record, [:]) == [])
    }

    @Test func `undefined is added for each known field that is not named`() throws {
        var model = Model()
        model.merge(1.by("a"), ["a": 1, "c": 3, "dd": nil, "e": .undefined, "ggg": 7])
        let record = try #require(model.record)
        let whole = encoded(["b": 2, "c": 4, "zzzz": 1]).addingUndefined(for: record)
        #expect(whole == encoded(["a": .undefined, "b": 2, "c": 4, "dd": .undefined, "ggg": .undefined, "zzzz": 1]))
        #expect(EncodedFields().addingUndefined(for: record).count == 4)
    }

    @Test func `nothing is added for a deleted model`() throws {
        var model = Model()
        model.merge(1.by("a"), ["a": 1])
        model.delete(2.by("a"))
        let fields = encoded(["b": 2])
        #expect(fields.addingUndefined(for: try #require(model.record)) == fields)
    }
}
