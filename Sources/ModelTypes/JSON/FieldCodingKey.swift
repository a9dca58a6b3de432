/// A key of the JSON of a model: a field's name on the wire, or a part of it between dots, or the id's.
struct FieldCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
