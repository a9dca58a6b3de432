import ModelCache
import ModelRecord
import ModelTypes
import ModelWire
import TestSupport

/// A model by hand.
struct Person: Model {
    static let modelType = "Person"
    enum FieldNames {
        static let age: ModelField<Int> = "age"
        static let name: ModelField<String> = "name"
        static let boss: ModelField<Reference<Person>> = "boss"
    }
    static let properties = [
        ModelProperty(\Person.age, "age"), ModelProperty(\Person.name, "name"), ModelProperty(\Person.boss, "boss"),
    ]
    let id: Int
    var name: String
    var age: Int
    var boss: Reference<Person>?
    var isAdult: Bool { age > 17 }

    init(id: Int, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.id = id
        age = try reader.read("age")
        boss = try reader.read("boss")
        name = try reader.read("name")
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) {
        try sink.write("age", age)
        try sink.write("boss", boss)
        try sink.write("name", name)
    }
}

/// A view that says which copy it is.
struct Marked: Model {
    final class Mark: Sendable {}

    static let modelType = "Person"
    static let properties: [ModelProperty<Marked>] = []
    let id: Int
    let mark = Mark()

    init(id: Int, record: CellRecord) throws(FieldProblem) { self.id = id }

    func write(into sink: inout some FieldSink) throws(FieldProblem) {}

    static func == (left: Marked, right: Marked) -> Bool { left.mark === right.mark }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A view to which the name is constant.
struct Bearer: Model {
    static let modelType = "Person"
    static let properties = [ModelProperty(\Bearer.name, "name", isConstant: true)]
    let id: Int
    let name: String

    init(id: Int, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.id = id
        name = try reader.read("name")
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("name", name) }
}

/// Another view of the same models.
struct PersonName: Model {
    static let modelType = "Person"
    static let properties = [ModelProperty(\PersonName.title, "name")]
    let id: String
    var title: String

    init(id: String, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.id = id
        title = try reader.read("name")
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("name", title) }
}

extension ModelCache {
    /// Merges one update of type Person as one commit. Later calls are later.
    func merge(_ id: Int, _ fields: Fields, origin: String = "origin", stamp: Stamp? = nil) throws {
        try write(.merge, "\(id)", fields, origin, stamp)
    }

    func delete(_ id: Int) throws { try write(.delete, "\(id)", [:], "origin") }

    /// Merges several updates as one commit.
    func merge(_ updates: [Int: Fields]) throws {
        var writer = BatchWriter()
        var stamp = Stamp((snapshot().commitNumber + 1) << 16)
        for (id, fields) in updates {
            try writer.append(.merge, stamp: stamp, id: "\(id)", fields: fields)
            stamp += 1
        }
        try commit(writer, type: "Person")
    }

    /// Also of an id that is none of a ``Person``.
    func write(
        _ operation: UpdateOperation, _ id: String, _ fields: Fields, _ origin: String, _ stamp: Stamp? = nil
    ) throws {
        var writer = BatchWriter()
        let stamp = stamp ?? Stamp((snapshot().commitNumber + 1) << 16)
        try writer.append(operation, stamp: stamp, id: id, fields: fields)
        try commit(writer, type: "Person", origin: origin)
    }
}
