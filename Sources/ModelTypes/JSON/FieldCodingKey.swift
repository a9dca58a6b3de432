/// A key of the JSON of a model: a field's name on the wire, or a part of it between dots, the id's, or an index of an
/// array.
struct FieldCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init(_ index: Int) { (stringValue, intValue) = (String(index), index) }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
