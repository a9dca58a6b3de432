import ModelRecord
import Testing

/// A record as its readers see it, and the sizes that it has to carry.
struct RecordTests {
    @Test(arguments: [0, 1, 23, 24, 255, 256, 300, 65_535, 65_536])
    func `a value of any size is kept`(byteCount: Int) throws {
        let text = Value.text(String(repeating: "x", count: byteCount))
        let bytes = Value.bytes([UInt8](repeating: 0xF7, count: byteCount))
        var model = Model()
        model.merge(1.by("a"), ["text": text, "bytes": bytes, "z": 1])
        model.merge(2.by("a"), ["z": 2])
        let record = try #require(model.record)
        #expect(record["text"] == text)
        #expect(record["bytes"] == bytes)
        #expect(record["z"] == 2)
        #expect(try CellRecord(bytes: record.array) == record)
    }

    @Test(arguments: [0, 1, 23, 24, 255, 256, 300])
    func `any number of fields is kept in order`(count: Int) throws {
        let fields = Fields(
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("field-\($0)", Value.int(Int64($0))) }))
        var model = Model()
        model.merge(1.by("a"), fields)
        let record = try #require(model.record)
        #expect(record.cellCount == count)
        #expect(record.cells.map(\.field) == fields.pairs.map(\.field))
        #expect(record.values.count == count)
        for index in 0..<count { #expect(record["field-\(index)"] == .int(Int64(index))) }
        #expect(try CellRecord(bytes: record.array) == record)
    }

    @Test func `field names of 1 to 128 bytes are found, and only they`() throws {
        var model = Model()
        let names = (1...128).map { String(repeating: "n", count: $0) }
        for (index, name) in names.enumerated() { model.merge((index + 1).by("a"), [name: .int(Int64(index))]) }
        let record = try #require(model.record)
        for (index, name) in names.enumerated() {
            #expect(record[name] == .int(Int64(index)))
            #expect(record.version(of: name) == (index + 1).by("a"))
        }
        #expect(record[""] == nil)
        #expect(record["m"] == nil)
        #expect(record[String(repeating: "n", count: 129)] == nil)
        #expect(record.version(of: "m") == nil)
    }

    @Test func `ids of 1 to 255 bytes are kept`() throws {
        for count in 1...255 {
            let id = String(repeating: "i", count: count)
            var model = Model()
            model.apply(EncodedUpdate(.merge, 1.by("a"), id: id, ["f": 1]))
            let record = try #require(model.record)
            #expect(record.id == id)
            let idBytes = record.idBytes.array
            #expect(idBytes == Array(id.utf8))
            #expect(record.idHash == fnv1a(id))
            #expect(hasID(record, id))
            #expect(!hasID(record, id + "x"))
            #expect(!hasID(record, id.dropLast() + "x"))
            #expect(record["f"] == 1)
            #expect(try CellRecord(bytes: record.array) == record)
        }
    }

    private func hasID(_ record: CellRecord, _ id: String) -> Bool { record.hasID(id.utf8.span) }

    @Test(arguments: [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, Int.max])
    func `stamps of every size are kept`(stamp: Int) throws {
        var model = Model()
        model.replace(stamp.by("a-name-of-an-origin-that-is-long"), ["f": 1])
        let record = try #require(model.record)
        #expect(record.floor == stamp.by("a-name-of-an-origin-that-is-long"))
        #expect(record.touched == record.floor)
        #expect(record.version(of: "f") == record.floor)
        #expect(try CellRecord(bytes: record.array) == record)
    }

    @Test func `nested values are kept`() throws {
        var nested = Value.int(7)
        for level in 0..<32 { nested = level.isMultiple(of: 2) ? .array([nested, nil]) : .map(["in": nested]) }
        var model = Model()
        model.merge(1.by("a"), ["deep": nested, "flat": ["b": [], "a": [:], "": true]])
        #expect(model["deep"] == nested)
        #expect(model["flat"] == ["a": [:], "b": [], "": true])
    }

    @Test func `cells tell fields, values and versions in the order of the encoded names`() throws {
        var model = Model()
        model.merge(1.by("a"), ["bb": 1, "a": nil, "c": .undefined])
        model.merge(2.by("b"), ["c": 3])
        let cells = try #require(model.record).cells
        #expect(cells.map(\.field) == ["a", "c", "bb"])
        #expect(cells.map(\.value) == [.null, 3, 1])
        #expect(cells.map(\.version) == [1.by("a"), 2.by("b"), 1.by("a")])
    }

    @Test func `changed fields are those whose values differ, gone ones included`() throws {
        var model = Model()
        model.merge(1.by("a"), ["same": 1, "new": 1, "gone": 1, "empty": 1, "twice": 1, "never": .undefined])
        let old = try #require(model.record)
        model.merge(
            2.by("a"), ["same": 1, "new": 2, "gone": .undefined, "empty": nil, "added": 1, "nothing": .undefined])
        let new = try #require(model.record)
        #expect(new.changedFields(since: old) == ["new", "gone", "added", "empty"])
        #expect(old.changedFields(since: new) == ["new", "gone", "added", "empty"])
        #expect(new.changedFields(since: new) == [])
        #expect(old.changedFields(since: nil) == ["new", "gone", "same", "empty", "twice"])
        model.delete(3.by("a"))
        let deleted = try #require(model.record)
        #expect(deleted.changedFields(since: new) == ["new", "same", "added", "empty", "twice"])
        #expect(deleted.changedFields(since: nil) == [])
        #expect(new.changedFields(since: deleted) == ["new", "same", "added", "empty", "twice"])
    }

    @Test func `names that Unicode calls equal but that differ in bytes are two fields`() throws {
        var model = Model()
        model.merge(1.by("a"), Fields(["\u{212B}": 1]))
        model.merge(2.by("a"), Fields(["A\u{30A}": 2]))
        let record = try #require(model.record)
        #expect(record.cellCount == 2)
        #expect(record["\u{212B}"] == 1)
        #expect(record["A\u{30A}"] == 2)
        #expect(record.changedFields(since: nil).count == 2)
    }

    @Test func `a description names the id and the known fields, or tells the model is deleted`() {
        var model = Model()
        model.merge(1.by("a"), ["age": 30, "gone": .undefined])
        #expect(model.record?.description == "model [age: int(30)]")
        model.delete(2.by("a"))
        #expect(model.record?.description == "model: deleted")
    }

    @Test func `records are equal when state and versions are`() throws {
        var (left, right) = (Model(), Model())
        left.merge(1.by("a"), ["f": 1])
        left.merge(2.by("a"), ["g": 2])
        right.merge(2.by("a"), ["g": 2])
        right.merge(1.by("a"), ["f": 1])
        let (one, two) = (try #require(left.record), try #require(right.record))
        #expect(one == two)
        #expect(one.hashValue == two.hashValue)
        #expect(!one.isIdentical(to: two))
        #expect(one.isIdentical(to: one))
        right.merge(3.by("a"), ["g": 2])
        #expect(try one != #require(right.record))
    }

    @Test func `a merge makes a new record and leaves the old one as it was`() throws {
        var model = Model()
        model.merge(1.by("a"), ["f": 1])
        let old = try #require(model.record)
        model.merge(2.by("a"), ["f": 2])
        #expect(old["f"] == 1)
        #expect(old.byteCount == old.array.count)
        #expect(model["f"] == 2)
    }
}
