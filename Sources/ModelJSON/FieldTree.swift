package import ModelRecord

/// The fields of a model as people see them: `address.city` stands in an object `address`.
///
/// A name is not taken apart where a field has the name of the object itself: then both stand side by side, the longer
/// one with its dots. So do names that no keys of nested objects could be, as with two dots in a row. Whatever the
/// fields are, `modelcast publish` makes the same fields of the object again, but for maps, which it takes apart.
package struct FieldTree {
    package struct Member {
        let key: String
        var node: Node
    }

    package indirect enum Node {
        case value(Value)
        case object(FieldTree)
    }

    /// The members, in the order of the fields; an object stands where its first field does.
    package private(set) var members: [Member] = []
    /// The places of objects among the members.
    private var objects: [String: Int] = [:]

    package init(_ fields: some Sequence<(field: String, value: Value)>) {
        let fields = Array(fields)
        let dot = UInt8(ascii: ".")
        guard fields.contains(where: { $0.field.utf8.contains(dot) }) else {
            members = fields.map { Member(key: $0.field, node: .value($0.value)) }
            return
        }
        let names = Set(fields.map(\.field))
        for (field, value) in fields { insert(value, FieldTree.keys(of: field, among: names)[...]) }
    }

    private init() {}

    /// The keys under which a field stands, outermost first.
    private static func keys(of field: String, among names: Set<String>) -> [String] {
        let parts = field.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.count < JSONReader.depthMax, !parts.contains(where: \.isEmpty) else {
            return [field]
        }
        var keys: [String] = []
        for part in parts.dropLast() {
            if names.contains(String(field[..<part.endIndex])) { return keys + [String(field[part.startIndex...])] }
            keys.append(String(part))
        }
        return keys + parts.suffix(1).map(String.init)
    }

    private mutating func insert(_ value: Value, _ keys: ArraySlice<String>) {
        guard let key = keys.first else { return }
        guard keys.count > 1 else { return members.append(Member(key: key, node: .value(value))) }
        let place = objects[key] ?? members.count
        if objects.updateValue(place, forKey: key) == nil {
            members.append(Member(key: key, node: .object(FieldTree())))
        }
        guard case .object(var object) = members[place].node else { return }
        // Taken out meanwhile, so that it is changed in place.
        members[place].node = .value(.null)
        object.insert(value, keys.dropFirst())
        members[place].node = .object(object)
    }
}
