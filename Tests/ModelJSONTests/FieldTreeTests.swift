import Foundation
import ModelRecord
import TestSupport
import Testing

@testable import ModelJSON

/// Fields as nested objects, as they are printed.
@Suite struct FieldTreeTests {
    private func text(_ fields: [(field: String, value: Value)]) -> String {
        var writer = JSONWriter()
        writer.write(FieldTree(fields))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static let forms: [([String], String)] = [
        ([], "{}"), (["a", "b"], #"{"a":0,"b":1}"#), (["b", "a.c", "a.b"], #"{"b":0,"a":{"c":1,"b":2}}"#),
        (["a.b.c", "a.b.d", "a.e"], #"{"a":{"b":{"c":0,"d":1},"e":2}}"#),
        // A field has the name of the object.
        (["a", "a.b", "a.b.c"], #"{"a":0,"a.b":1,"a.b.c":2}"#), (["a.b", "a.b.c"], #"{"a":{"b":0,"b.c":1}}"#),
        // Names that no nested keys make.
        (["a..b", ".a", "a."], #"{"a..b":0,".a":1,"a.":2}"#),
        ([Array(repeating: "a", count: 17).joined(separator: ".")], #"{"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a":0}"#),
    ]

    @Test(arguments: forms)
    func `fields with dots in their names stand in objects`(names: [String], expected: String) {
        #expect(text(names.enumerated().map { ($1, .int(Int64($0))) }) == expected)
    }

    @Test func `whatever fields a model has, publishing what is printed makes them again`() {
        forEachSeed(20_000) { _, generator in
            var fields: Fields = [:]
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                let parts = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    ["a", "b", "c", "", "é"].randomElement(using: &generator) ?? ""
                }
                let name = parts.joined(separator: ".")
                if !name.isEmpty, name != "id" { fields[name] = .int(.random(in: 0...9, using: &generator)) }
            }
            let members = text(fields.pairs.map { ($0.field, $0.value) }).dropFirst()
            let line = Array((#"{"id":"1""# + (members == "}" ? "" : ",") + members).utf8)
            let model = try ModelLine(line.span, idField: "id")
            guard model.fields == fields else { throw CaseFailure("\(fields) became \(model.fields)") }
        }
    }
}
