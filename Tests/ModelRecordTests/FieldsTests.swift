import ModelCBOR
import ModelRecord
import Testing

struct FieldsTests {
    @Test func `fields stand in the order of their encoded names: shorter ones first, then bytewise`() {
        let fields: Fields = ["bb": 1, "b": 2, "a": 3, "é": 4, "aaa": 5, "B": 6]
        let names = ["B", "a", "b", "bb", "é", "aaa"]
        #expect(fields.pairs.map(\.field) == names)
        #expect(names.map(encodedText).sorted { $0.precedes($1) } == names.map(encodedText))
        #expect(Fields(["bb": 1, "b": 2, "a": 3, "é": 4, "aaa": 5, "B": 6]) == fields)
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

    private func differences(_ record: Record, _ fields: Fields) -> [String] {
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
