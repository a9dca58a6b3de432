import ModelRecord
import ModelTypes

/// A Swift type that every record of its type makes.
struct StressItem: Model {
    static let modelType = "Item"
    static let properties = [ModelProperty(\StressItem.a, "a"), ModelProperty(\StressItem.b, "b")]
    let id: Int
    var a: Int64?
    var b: Int64?

    init(id: Int, a: Int64?, b: Int64?) { (self.id, self.a, self.b) = (id, a, b) }

    init(id: Int, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.init(id: id, a: try reader.read("a"), b: try reader.read("b"))
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) {
        try sink.write("a", a)
        try sink.write("b", b)
    }

    /// What it says of its record.
    var sighting: Sighting { .fields(contents) }

    /// What it writes.
    var contents: Contents { ["a": a.map { .int($0) } ?? .null, "b": b.map { .int($0) } ?? .null] }
}

/// A Swift type with a field that never changes while the model exists.
struct StressDeed: Model {
    static let modelType = "Deed"
    static let properties = [ModelProperty(\StressDeed.number, "number", isConstant: true)]
    let id: Int
    let number: Int64

    init(id: Int, number: Int64) { (self.id, self.number) = (id, number) }

    init(id: Int, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.init(id: id, number: try reader.read("number"))
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("number", number) }
}
