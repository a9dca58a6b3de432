/// The type of a property, an element or a payload.
indirect enum SwiftType: Hashable {
    /// `Bool`, `String`, `Int` and its widths, `Double`, `Float`.
    case plain(String)
    case date, url, uuid, data
    /// Any value: `Value`.
    case value
    /// A type of the user's own.
    case own(String, conversion: String?)
    case enumeration(EnumShape, isOpen: Bool)
    /// The id of a model.
    case reference(String)
    /// A struct or a sum type, which has several fields, or a struct that is one value.
    case group(String)
    case array(SwiftType)
    case dictionary(SwiftType)
    case optional(SwiftType)

    var text: String {
        switch self {
        case .plain(let name), .group(let name), .own(let name, _): name
        case .date: "Date"
        case .url: "URL"
        case .uuid: "UUID"
        case .data: "Data"
        case .value: "Value"
        case .enumeration(let shape, let isOpen): isOpen ? "Open<\(shape.name)>" : shape.name
        case .reference(let model): "Reference<\(model)>"
        case .array(let element): "[\(element.text)]"
        case .dictionary(let value): "[String: \(value.text)]"
        case .optional(let wrapped): "\(wrapped.text)?"
        }
    }

    /// The argument `convert:` of `@Field`; nil where the type needs none.
    var conversion: String? {
        switch self {
        case .date: ".iso8601"
        case .url: ".urlText"
        case .uuid: ".uuidText"
        case .own(_, let conversion): conversion
        case .array(let element): element.conversion.map { "\($0).elements" }
        case .optional(let wrapped): wrapped.conversion.map { "\($0).optional" }
        default: nil
        }
    }

    /// True for a type with a date in a dictionary, where no conversion reaches. The date would be a number on the
    /// wire, against the schema.
    var hasLostDate: Bool {
        switch self {
        case .array(let element), .optional(let element): element.hasLostDate
        case .dictionary(let value): value.contains { $0 == .date }
        default: false
        }
    }

    /// True for an array or a dictionary of structs.
    var isOfStructs: Bool {
        switch self {
        case .array(.group), .dictionary(.group), .array(.optional(.group)), .dictionary(.optional(.group)): true
        default: false
        }
    }

    /// True when a struct or a sum type is in the type.
    var hasGroup: Bool { contains { if case .group = $0 { true } else { false } } }

    /// True when the type names one of Foundation.
    var isOfFoundation: Bool { contains { [.date, .url, .uuid, .data].contains($0) } }

    private func contains(_ condition: (SwiftType) -> Bool) -> Bool {
        if condition(self) { return true }
        switch self {
        case .array(let inner), .dictionary(let inner), .optional(let inner): return inner.contains(condition)
        default: return false
        }
    }
}

/// The shape of a type that is declared.
enum TypeShape: Hashable {
    case structure(StructShape)
    case enumeration(EnumShape)
    case oneOf(OneOfShape)

    var name: String {
        switch self {
        case .structure(let shape): shape.name
        case .enumeration(let shape): shape.name
        case .oneOf(let shape): shape.name
        }
    }
}

/// A model, a nested struct, or a struct that is one value.
struct StructShape: Hashable {
    let name: String
    /// The name of the type on the wire; nil for what is no model.
    var wireType: String?
    /// The struct is an element of an array or a dictionary somewhere, and so one value.
    var isValue = false
    var documentation: String?
    var properties: [PropertyShape] = []
    var nested: [TypeShape] = []
}

struct PropertyShape: Hashable {
    enum Role: Hashable { case id, constant, variable }

    var name: String
    /// The name of the field on the wire; of an id, that in JSON.
    let wireName: String
    let type: SwiftType
    let role: Role
    let isOptional: Bool
    var initialValue: ValueText?
    var validation: Validation?
    var documentation: String?
}

/// An enum with raw values.
struct EnumShape: Hashable {
    struct Case: Hashable {
        let name: String
        let raw: JSON
        var documentation: String?
    }

    let name: String
    /// `String` or `Int`.
    let rawType: String
    var documentation: String?
    var cases: [Case] = []
}

/// A sum type.
struct OneOfShape: Hashable {
    struct Case: Hashable {
        var name: String
        /// The name of the case on the wire, which the field of the group holds.
        var wireName: String
        let payload: SwiftType?
        var documentation: String?
    }

    let name: String
    /// The property of objects that tells which case they are; nil where there is none.
    var tag: String?
    /// The cases without a payload that are texts, and no objects with a tag.
    var texts: [String] = []
    var documentation: String?
    var cases: [Case] = []
    var nested: [TypeShape] = []
}
