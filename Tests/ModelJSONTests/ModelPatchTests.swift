import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelJSON

/// Changes of models as JSON objects.
@Suite struct ModelPatchTests {
    /// A cache with one model, and the text by which it is written.
    private struct Kept {
        let cache = ModelCache()
        private var stamp: UInt64 = 1 << 16

        var record: CellRecord? { cache["T", "1"] }

        var members: [String: Value] {
            get throws {
                var writer = JSONWriter()
                writer.write(record)
                return try JSONReader.object(writer.bytes.span)
            }
        }

        mutating func write(_ fields: Fields, as operation: UpdateOperation = .merge) throws {
            var batch = BatchWriter()
            stamp += 1
            try batch.append(operation, stamp: stamp, id: "1", fields: fields)
            try cache.commit(batch, type: "T")
        }
    }

    private func object(_ text: String) throws -> [String: Value] {
        try JSONReader.object(Array(text.utf8).span)
    }

    private func fields(
        _ text: String, _ null: ModelPatch.Null = .removal, over values: Fields
    ) throws -> Fields {
        var kept = Kept()
        try kept.write(values)
        return try ModelPatch(try object(text), null: null).fields(over: kept.record)
    }

    /// RFC 7396, section 2.
    private static func patched(_ target: Value, _ patch: Value) -> Value {
        guard case .map(let members) = patch else { return patch }
        var result: [String: Value] = [:]
        if case .map(let old) = target { result = old }
        for (key, value) in members {
            if value.isNull {
                result.removeValue(forKey: key)
            } else {
                result[key] = patched(result[key] ?? .map([:]), value)
            }
        }
        return .map(result)
    }

    /// Empty objects are left out: of a model's nested fields none is left where the last one is removed.
    private static func pruned(_ value: Value) -> Value? {
        guard case .map(let members) = value else { return value }
        let left = members.compactMapValues(pruned)
        return left.isEmpty ? nil : .map(left)
    }

    private static func randomObject(_ depth: Int, nulls: Bool, _ generator: inout SeededGenerator) -> [String: Value] {
        var result: [String: Value] = [:]
        for key in ["a", "b", "c"] where Int.random(in: 0..<5, using: &generator) < 3 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0...2 where depth < 3:
                result[key] = .map(randomObject(depth + 1, nulls: nulls, &generator))
            case 3 where nulls: result[key] = .null
            case 4: result[key] = [.int(1), .map(["x": .int(2)])]
            default: result[key] = .int(Int64.random(in: 0...2, using: &generator))
            }
        }
        return result
    }

    /// The fields of an object, of which some objects are values.
    private static func flat(
        _ members: [String: Value], _ path: String?, _ generator: inout SeededGenerator, into fields: inout Fields
    ) {
        for key in members.keys.sorted() {
            let (value, member) = (members[key] ?? .null, path.map { "\($0).\(key)" } ?? key)
            if case .map(let inner) = value, !inner.isEmpty, Int.random(in: 0..<3, using: &generator) > 0 {
                flat(inner, member, &generator, into: &fields)
            } else {
                fields[member] = value
            }
        }
    }

    @Test func `what is read after a merge patch is what RFC 7396 makes of what was read before`() {
        forEachSeed(20_000) { _, generator in
            var (kept, fields) = (Kept(), Fields())
            ModelPatchTests.flat(
                ModelPatchTests.randomObject(0, nulls: false, &generator), nil, &generator, into: &fields)
            try kept.write(fields)
            for _ in 0..<3 {
                let patch = ModelPatchTests.randomObject(0, nulls: true, &generator)
                let before = try kept.members
                try kept.write(try ModelPatch(patch, null: .removal).fields(over: kept.record))
                let after = try kept.members
                let expected = ModelPatchTests.patched(.map(before), .map(patch))
                guard ModelPatchTests.pruned(.map(after)) == ModelPatchTests.pruned(expected) else {
                    throw CaseFailure("\(before) with \(patch) is \(after) instead of \(expected)")
                }
            }
        }
    }

    @Test func `what is read after a whole model was written is that model, and maps stay maps`() {
        forEachSeed(10_000) { _, generator in
            var (kept, fields) = (Kept(), Fields())
            ModelPatchTests.flat(
                ModelPatchTests.randomObject(0, nulls: false, &generator), nil, &generator, into: &fields)
            try kept.write(fields)
            // What was read may be written as it is, and changes nothing.
            let same = try ModelPatch(try kept.members, null: .value).wholeFields(over: kept.record)
            let values = Dictionary(uniqueKeysWithValues: same.pairs.map { ($0.field, $0.value) })
            guard values == kept.record?.values ?? [:] else {
                throw CaseFailure("\(try kept.members) became \(same)")
            }
            let new = ModelPatchTests.randomObject(0, nulls: true, &generator)
            try kept.write(
                try ModelPatch(new, null: .value).wholeFields(over: kept.record), as: .replace)
            let after = try kept.members
            guard ModelPatchTests.pruned(.map(after)) == ModelPatchTests.pruned(.map(new)) else {
                throw CaseFailure("\(new) is read as \(after)")
            }
        }
    }

    @Test func `null removes a field or is its value, as the patch says`() throws {
        #expect(try fields(#"{"a":null}"#, .removal, over: ["a": 1, "b": 2]) == ["a": .undefined])
        #expect(try fields(#"{"a":null}"#, .value, over: ["a": 1, "b": 2]) == ["a": .null])
        #expect(try fields(#"{"x":null}"#, .removal, over: ["a": 1]) == [:])
        let inner = try fields(#"{"a":null}"#, .removal, over: ["a.b": 1, "a.c.d": 2])
        #expect(inner == ["a.b": .undefined, "a.c.d": .undefined])
        let null = try fields(#"{"a":null}"#, .value, over: ["a.b": 1])
        #expect(null == ["a": .null, "a.b": .undefined])
    }

    @Test func `a value that is written as the model has it stays what it is`() throws {
        let big: Int64 = 1 << 60
        let values: Fields = [
            "time": .timestamp(1_700_000_000), "ratio": .double(2), "big": .int(big), "raw": .bytes([1, 2]),
            "labels": .map(["app.kubernetes.io/name": "x"]),
        ]
        let text = #"{"time":1700000000,"ratio":2,"big":"\#(big)","raw":{"$bytes":"AQI="}}"#
        let same = try fields(text, over: values)
        for name in ["time", "ratio", "big", "raw"] { #expect(same[name] == values[name], "\(name)") }
        let labels = try fields(#"{"labels":{"tier":"web"}}"#, over: values)
        #expect(labels == ["labels": .map(["app.kubernetes.io/name": "x", "tier": "web"])])
    }

    @Test func `values without a JSON form of their own are written in the form in which they are read`() throws {
        let made = try fields(#"{"b":{"$bytes":"AAEC"},"n":[{"$double":"-inf"}],"m":{"$b":1}}"#, over: [:])
        #expect(made == ["b": .bytes([0, 1, 2]), "n": .array([.double(-.infinity)]), "m.$b": 1])
        for text in [
            #"{"a":{"$bytes":"!"}}"#, #"{"a":{"$bytes":"AA==","x":1}}"#, #"{"a":[{"$double":"big"}]}"#,
            #"{"a":{"$tag":37,"$cbor":"AA=="}}"#,
        ] {
            #expect(throws: JSONError.self, "\(text)") { try fields(text, over: [:]) }
        }
        let texts = try ModelPatch(
            ["big": "9007199254740994", "small": "5", "odd": "+9007199254740994"], null: .value,
            hasLargeIntegersAsText: true)
        #expect(
            try texts.fields(over: nil) == [
                "big": .int(9_007_199_254_740_994), "small": "5", "odd": "+9007199254740994",
            ])
    }

    @Test func `an object takes the place of a value, and a value that of an object`() throws {
        #expect(try fields(#"{"a":{"b":1}}"#, over: ["a": 5]) == ["a": .undefined, "a.b": 1])
        #expect(try fields(#"{"a":5}"#, over: ["a.b": 1, "ab": 2]) == ["a": 5, "a.b": .undefined])
        #expect(throws: JSONError.self) { try fields(#"{"a":{"b":1},"a.b":2}"#, over: [:]) }
        #expect(throws: JSONError.self) { try fields(#"{"":1}"#, over: [:]) }
    }
}
