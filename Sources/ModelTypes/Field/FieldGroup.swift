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
}

extension FieldSource {
    /// The state of a group of fields.
    ///
    /// - Unknown, when all fields are unknown.
    /// - Null, when at least one field is null and none has a value.
    /// - Otherwise the value that the fields make, or faulty.
    ///
    /// In a sum type, only the field that names the case decides between these. A value in a field with the name of a
    /// struct, such as a map, is a fault where the struct has no value: its parts are fields of their own.
    public mutating func state<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        groupState(name, as: type)
    }

    public mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        stateOfParts(name, as: type)
    }

    /// The state of a group whose fields have the name of the group before a dot.
    mutating func stateOfParts<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        // The fields of other cases may hold old values, so the field that names the case is asked alone.
        let isOneOf = T.isOneOf
        var group = FieldGroupSource(base: self, prefix: name.text, isWhole: isWhole || isOneOf)
        defer { self = group.base }
        var (isKnown, hasValue) = (false, false)
        for member in isOneOf ? [""] : T.fieldNames where !hasValue {
            switch group.state(FieldName(member), as: Value.self) {
            case .unknown: break
            case .null: isKnown = true
            case .value, .faulty: hasValue = true
            }
        }
        if !hasValue, !isOneOf {
            switch group.state("", as: Value.self) {
            case .unknown: break
            case .null: isKnown = true
            // `modelcast publish` writes an empty object as such.
            case .value(.map(let map)) where map.isEmpty: hasValue = true
            case .value(let value): return .faulty(FieldFault(asOne: value, partsOf: name.text, T.fieldNames))
            case .faulty(let fault): return .faulty(fault)
            }
        }
        guard hasValue else { return isKnown ? .null : .unknown }
        do {
            return .value(try T(reading: &group))
        } catch {
            return .faulty(error.fault(within: name.text))
        }
    }
}

extension FieldSink {
    /// Writes the fields of a group.
    public mutating func write<T: FieldGroup>(_ name: String, _ value: T) throws(FieldProblem) {
        try writeGroup(name, value)
    }

    /// Writes the fields of a group, or null in all of them.
    public mutating func write<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        try writeGroup(name, value)
    }

    public mutating func writeGroup<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        guard let value else {
            for member in FieldName.members(name, of: T.self) { try write(member, Value.null) }
            return
        }
        var group = FieldGroupSink(base: self, prefix: name, isWhole: isWhole || T.isOneOf)
        defer { self = group.base }
        do {
            try value.write(into: &group)
        } catch {
            throw FieldProblem(FieldName.path(name, error.field), error.fault)
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

/// Reads the fields of a group from those of a model.
private struct FieldGroupSource<Base: FieldSource>: FieldSource {
    var base: Base
    let prefix: String
    let isWhole: Bool

    mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        base.state(FieldName(FieldName.path(prefix, name.text)), as: type)
    }
}

/// Writes the fields of a group among those of a model.
private struct FieldGroupSink<Base: FieldSink>: FieldSink {
    var base: Base
    let prefix: String
    let isWhole: Bool
    var problem: FieldProblem?

    mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        // The caller, which writes the whole group, puts the name of the group before that of the field.
        do { try base.write(FieldName.path(prefix, name), value) } catch { throw FieldProblem(name, error.fault) }
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

extension FieldFault {
    /// The fault of a value, such as a map, in the place of a group, whose parts are fields.
    fileprivate init(asOne value: Value, partsOf group: String, _ names: [String]) {
        let fields = names.prefix(2).map { FieldName.path(group, $0) }.joined(separator: ", ")
        let more = names.count > 2 ? " and so on" : ""
        self.init(.kind, wanted: "\(group) in parts, each a field of its own: \(fields)\(more)", value: value)
    }
}
