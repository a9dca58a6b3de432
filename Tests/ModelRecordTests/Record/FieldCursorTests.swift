import ModelRecord
import TestSupport
import Testing

/// Fields where they stand, for typed models.
struct FieldCursorTests {
    @Test func `a cursor finds what the record has, in whatever order it is asked`() {
        let names = ["f", "g", "é", "address.city", "a-field-with-a-name-past-23-bytes", "none", "a", "zzzzzzzz"]
            .map { FieldName($0) }
        forEachSeed(20_000) { _, generator in
            for record in UpdateMix(&generator).records {
                var cursor = FieldCursor(record)
                let isOrdered = Bool.random(using: &generator)
                let asked = isOrdered ? names.sorted() : (names + names).shuffled(using: &generator)
                var last: Value?
                for name in asked {
                    let expected = record[name.text]
                    try demand(cursor.find(name) == (expected != nil), "\(name) of \(record)")
                    if let expected { last = expected }
                    try demand(cursor.value == last, "\(name) of \(record) is \(String(describing: cursor.value))")
                    try demand(cursor.isNull == (last?.isNull ?? false), "\(name) of \(record): null")
                    try demand(cursor.bool == last?.boolValue, "\(name) of \(record): a Boolean")
                    try demand(cursor.int == last?.intValue, "\(name) of \(record): an integer")
                    try demand(cursor.text == last?.textValue, "\(name) of \(record): text")
                    let double: Double? = if case .double(let value) = last { value } else { nil }
                    try demand(cursor.double?.bitPattern == double?.bitPattern, "\(name) of \(record): a double")
                }
            }
        }
    }

    @Test func `names are ordered as the cells of a record are`() throws {
        let texts = ["b", "a", "aa", "é", "address.city", String(repeating: "x", count: 40), "ab", "zz"]
        var model = Model()
        model.merge(1.by("a"), Fields(Dictionary(uniqueKeysWithValues: texts.map { ($0, Value.int(1)) })))
        let record = try #require(model.record)
        #expect(texts.map { FieldName($0) }.sorted().map(\.text) == record.cells.map(\.field))
    }

    @Test func `names that no field has are not found`() throws {
        var model = Model()
        let longest = String(repeating: "n", count: 128)
        model.merge(1.by("a"), [longest: 1, "x": .int(.min), "y": .int(.max)])
        var cursor = FieldCursor(try #require(model.record))
        #expect(cursor.value == nil && cursor.int == nil && cursor.text == nil && !cursor.isNull)
        for name in ["", String(repeating: "n", count: 129), String(repeating: "n", count: 70_000), "n"] {
            let isFound = cursor.find(FieldName(name))
            #expect(!isFound)
        }
        for (name, value) in [(longest, 1), ("x", Int64.min), ("y", .max)] {
            let isFound = cursor.find(FieldName(name))
            #expect(isFound && cursor.int == value)
        }
    }

    @Test func `of a model that was deleted nothing is found`() throws {
        var model = Model()
        model.merge(1.by("a"), ["f": 1])
        model.delete(2.by("a"))
        var cursor = FieldCursor(try #require(model.record))
        let isFound = cursor.find("f")
        #expect(!isFound)
    }
}
