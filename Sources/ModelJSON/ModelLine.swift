package import ModelRecord

/// The model of one line of input.
package struct ModelLine: Equatable {
    package let id: String
    package let fields: Fields
}

extension ModelLine {
    /// Reads a JSON object. A nested object becomes fields with dotted names; an empty object and an array are values.
    /// The id field is no field of the model.
    /// - Parameters:
    ///   - idField: the name of the field that holds the id, dotted where it stands in a nested object.
    ///   - idType: what ids are.
    ///   - forms: the paths of objects that are no groups of fields.
    package init(
        _ line: Span<UInt8>, idField: String, idType: IDType = .text, forms: [String: ObjectForm] = [:]
    ) throws(LineRefusal) {
        var reader = JSONReader(line)
        var model = FlatModel(idField: idField, idType, forms)
        do {
            try reader.expect(UInt8(ascii: "{"), "expected an object, one line for one model")
            try reader.members(of: nil, into: &model, depth: 0)
            try reader.expectEnd()
        } catch {
            throw LineRefusal(reason: "\(error)", id: model.id, mayNameModel: model.id == nil)
        }
        guard let id = model.id else {
            throw LineRefusal(reason: "the id field \"\(idField)\" is missing", id: nil)
        }
        do {
            try Names.check(id: id)
        } catch {
            throw LineRefusal(reason: "\(error)", id: nil)
        }
        self.id = id
        fields = Fields(model.values)
    }
}

extension ModelLine {
    /// The fields to merge into a record. Null that takes the place of an object empties the object's fields, and an
    /// object that takes the place of null removes the null: otherwise the record would say both.
    package func fields(over record: CellRecord?) -> Fields {
        guard let record, record.exists else { return fields }
        let pairs = fields.pairs
        let empty = Set(pairs.lazy.filter { $0.value == .null }.map(\.field))
        let objects = Set(pairs.lazy.flatMap(\.field.prefixesBeforeDots))
        guard !empty.isEmpty || !objects.isEmpty else { return fields }
        var all = fields
        let named = Set(pairs.lazy.map(\.field))
        for cell in record.cells where !named.contains(cell.field) && cell.value != .undefined {
            if cell.value == .null {
                if objects.contains(cell.field) { all[cell.field] = .undefined }
            } else if !empty.isEmpty, cell.field.prefixesBeforeDots.contains(where: empty.contains) {
                all[cell.field] = .null
            }
        }
        return all
    }
}

extension String {
    /// `a` and `a.b` of `a.b.c`.
    fileprivate var prefixesBeforeDots: [String] {
        guard utf8.contains(UInt8(ascii: ".")) else { return [] }
        return indices.filter { self[$0] == "." }.map { String(self[..<$0]) }
    }
}

/// The fields of a model while its line is read.
private struct FlatModel {
    let idField: String
    private let idType: IDType
    let forms: [String: ObjectForm]
    var id: String?
    var values: [String: Value] = [:]
    /// The paths at which the line has an object.
    private var objects: Set<String> = []

    init(idField: String, _ idType: IDType, _ forms: [String: ObjectForm]) {
        (self.idField, self.idType, self.forms) = (idField, idType, forms)
        values.reserveCapacity(24)
    }

    mutating func add(_ value: Value, at path: String) throws(JSONError) {
        if path == idField {
            guard id == nil else {
                throw JSONError("the field \"\(path)\" is given twice; the name is reserved for the id")
            }
            id = try idType.id(of: value, at: path)
            return
        }
        guard values.updateValue(value, forKey: path) == nil, objects.isEmpty || !objects.contains(path) else {
            throw twice(path)
        }
    }

    mutating func open(_ path: String) throws(JSONError) {
        guard path != idField else { throw JSONError("the id field \"\(path)\" is no text") }
        guard objects.insert(path).inserted, values[path] == nil else { throw twice(path) }
    }

    mutating func closeEmpty(_ path: String) throws(JSONError) { values[path] = .map([:]) }

    /// Adds an object whose form the schema says.
    mutating func add(_ object: [String: Value], _ form: ObjectForm, at path: String) throws(JSONError) {
        switch form {
        case .value: try add(.map(object), at: path)
        case .untagged:
            throw JSONError(
                "\"\(path)\" is one of several objects, and nothing in it says which: write it as it travels, "
                    + "\"\(path)\": \"CASE\" and \"\(path).CASE\": …, or give the schema a discriminator")
        case .tagged(let tag):
            guard case .text(let name)? = object[tag], !name.isEmpty else {
                throw JSONError("\"\(path)\" has no text \"\(tag)\", which says what it is")
            }
            try add(.text(name), at: path)
            try add(members: object.filter { $0.key != tag }, of: "\(path).\(name)")
        }
    }

    /// Adds the members of a group of fields that was read as a whole.
    private mutating func add(members: [String: Value], of path: String) throws(JSONError) {
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let member = "\(path).\(key)"
            switch (value, forms[member]) {
            case (.map(let object), let form?): try add(object, form, at: member)
            case (.map(let object), nil) where !object.isEmpty: try add(members: object, of: member)
            default: try add(value, at: member)
            }
        }
    }

    private func twice(_ path: String) -> JSONError {
        JSONError("the field \"\(path)\" is given twice, be it in two forms of Unicode")
    }
}

extension JSONReader {
    /// Reads the members of an object, from behind its opening brace on.
    /// - Parameter path: the path of the object; nil for the model itself.
    @_lifetime(self: copy self)
    fileprivate mutating func members(of path: String?, into model: inout FlatModel, depth: Int) throws(JSONError) {
        if peek() == UInt8(ascii: "}") {
            offset &+= 1
            if let path { try model.closeEmpty(path) }
            return
        }
        repeat {
            let start = offset
            let key = try key()
            guard !key.isEmpty else { throw JSONError("a field has the empty name, which is reserved", at: start) }
            let member = path.map { "\($0).\(key)" } ?? key
            if peek() == UInt8(ascii: "{"), let form = model.forms[member] {
                guard case .map(let object) = try value(depth: depth) else {
                    preconditionFailure("an opening brace begins an object")
                }
                try model.add(object, form, at: member)
            } else if peek() == UInt8(ascii: "{") {
                let inner = try enter(depth)
                try model.open(member)
                try members(of: member, into: &model, depth: inner)
            } else {
                try model.add(try value(depth: depth), at: member)
            }
        } while try goesOn(until: UInt8(ascii: "}"))
    }
}
