public import ModelRecord

/// A value that is stored in several fields of a model: a nested struct, or a sum type.
///
/// ```swift
/// @Nested struct Address { var street: String; var city: String }
/// @Model struct User { @ID let id: UUID; var address: Address? }
/// ```
/// The address is two fields, `address.street` and `address.city`, which are merged independently: two publishers may
/// change one each. The address is nil when all its fields are null. The macros `@Nested` and `@OneOf` write the
/// conformance.
public protocol FieldGroup: ModelFieldType {
    /// The names of the fields, for key paths such as `\.address.city`: a static ``ModelField`` for each. A sum type
    /// has none: its fields depend on the case, so it is given as a whole.
    associatedtype FieldNames = Never

    /// The names of all fields, within the group. The empty name is that of the field that says which case of a sum
    /// type it is.
    static var fieldNames: [String] { get }
    /// The names of the cases of a sum type, in the order in which ``OneOfForm/bare`` tries them; empty for a struct.
    static var caseNames: [String] { get }
    /// How a sum type stands in JSON. A struct is an object.
    static var jsonForm: OneOfForm { get }
    /// Reads the value from the fields of the group.
    /// - Throws: ``FieldProblem`` for the first field that is missing or faulty.
    init(reading source: inout some FieldSource) throws(FieldProblem)
    /// Writes the known fields of the group.
    /// - Throws: ``FieldProblem`` for one that cannot be published.
    func write(into sink: inout some FieldSink) throws(FieldProblem)
}

extension FieldGroup {
    /// The default: ``OneOfForm/keyed``, for a sum type.
    public static var jsonForm: OneOfForm { .keyed }

    /// The default: no names, as of a struct.
    public static var caseNames: [String] { [] }

    /// The names of the structs of which a value consists, itself with the empty name; none for a sum type.
    static var places: [String] { isOneOf ? [] : [""] + fieldNames.structs }
}

extension FieldSource {
    /// The state of a group of fields.
    ///
    /// - Unknown, when all fields are unknown.
    /// - Null, when at least one field is null and none has a value.
    /// - Otherwise the value that the fields make, or faulty.
    ///
    /// In a sum type, only the field that names the case decides between these, and a payload whose fields are all null
    /// is the value that they make. A value in a field with the name of a struct, such as a map, is a fault where the
    /// struct has no value: its parts are fields of their own. So is one with the name of a struct within it. An empty
    /// map there says that there is a struct, unless all of its fields are null.
    public mutating func state<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        groupState(name, as: type)
    }

    public mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        stateOfParts(name, as: type)
    }
}

extension FieldSink {
    /// Writes the fields of a group.
    public mutating func write<T: FieldGroup>(_ name: String, _ value: T) throws(FieldProblem) {
        try writeGroup(name, value)
    }

    /// Writes the fields of a group, or null in all of them. A group of which no part has a value, and some part is
    /// unknown, is an empty map in the field of its name besides: it says that there is one.
    public mutating func write<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        try writeGroup(name, value)
    }

    public mutating func writeGroup<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        try writeParts(name, value)
    }

    /// Writes the fields of a group whose fields have the name of the group before a dot.
    /// - Parameter isPayload: the group is the payload of a case, which says that there is one.
    mutating func writeParts<T: FieldGroup>(
        _ name: String, _ value: T?, isPayload: Bool = false
    ) throws(FieldProblem) {
        guard let value else {
            for member in FieldName.members(name, of: T.self) { try write(member, Value.null) }
            return
        }
        var group = FieldGroupSink(base: self, prefix: name, isWhole: isWhole || T.isOneOf, isOneOf: T.isOneOf)
        defer { self = group.base }
        do {
            try value.write(into: &group)
        } catch {
            throw FieldProblem(FieldName.path(name, error.field), error.fault)
        }
        guard !T.isOneOf, !group.hasValue else { return }
        // Nothing says yet that there is a group. Null in all parts stands for none; where parts that are unknown are
        // nil, as within a payload, they can be that.
        if group.nullCount < T.fieldNames.count {
            try group.base.write(name, Value.map([:]))
        } else if isWhole, !isPayload {
            try group.base.write(name, Value.map([:]))
            for member in FieldName.members(name, of: T.self) { try group.base.write(member, Value.undefined) }
        }
    }

    /// Writes the state of a group; nothing when it is unknown.
    /// - Throws: ``FieldProblem`` when the state is faulty.
    public mutating func write<T: FieldGroup>(_ name: String, _ state: FieldState<T>) throws(FieldProblem) {
        switch state {
        case .unknown: return
        case .null: try write(name, T?.none)
        case .value(let value): try write(name, value)
        case .faulty(let fault): throw FieldProblem(name, fault)
        }
    }
}

/// Writes the fields of a group among those of a model.
private struct FieldGroupSink<Base: FieldSink>: FieldSink {
    var base: Base
    let prefix: String
    let isWhole: Bool
    let isOneOf: Bool
    var problem: FieldProblem?
    /// Some part has a value.
    var hasValue = false
    /// How many parts are null.
    var nullCount = 0

    mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        // The caller, which writes the whole group, puts the name of the group before that of the field.
        let field = FieldName.path(prefix, name)
        guard !hasValue else {
            do { return try base.write(field, value) } catch { throw FieldProblem(name, error.fault) }
        }
        let encoded: Value
        do { encoded = try value.encoded() } catch { throw FieldProblem(name, error) }
        switch encoded {
        case .null: nullCount += 1
        case .undefined: break
        default: hasValue = true
        }
        do { try base.write(field, encoded) } catch { throw FieldProblem(name, error.fault) }
    }

    mutating func writeGroup<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        try writeParts(name, value, isPayload: isOneOf)
    }
}

extension FieldName {
    /// The names of the fields that a property of this type takes.
    public static func members<T: FieldValue>(_ name: String, of type: T.Type) -> [String] { [name] }

    /// The names of the fields that a property of this type takes.
    public static func members<T: FieldGroup>(_ name: String, of type: T.Type) -> [String] {
        T.fieldNames.map { path(name, $0) }
    }

    /// The names of the fields that a property with this conversion takes.
    public static func members<C: FieldConversion>(_ name: String, by conversion: C) -> [String] { [name] }

    /// The full name of a field in a group; the group's own name for the empty name.
    static func path(_ prefix: String, _ name: String) -> String {
        name.isEmpty ? prefix : prefix.isEmpty ? name : "\(prefix).\(name)"
    }

    /// True when this name covers one of `fields`.
    package func covers(anyOf fields: [String]) -> Bool { fields.contains(where: covers) }

    /// True for this field, and for the fields of the group of this name.
    package func covers(_ field: String) -> Bool {
        field.utf8.starts(with: text.utf8)
            && (field.utf8.count == text.utf8.count || field.utf8.dropFirst(text.utf8.count).first == UInt8(ascii: "."))
    }
}

extension FieldProblem {
    /// The fault of a group whose field this is.
    func fault(within group: String) -> FieldFault {
        guard let fault else {
            let wanted = "all of \(group): \(field) is unknown"
            return FieldFault(.incomplete, wanted: wanted, value: .undefined, part: field)
        }
        return fault.within(field)
    }
}
