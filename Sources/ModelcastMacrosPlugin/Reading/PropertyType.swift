import SwiftSyntax

/// The type of a property, as far as its spelling tells.
struct PropertyType {
    /// The type as it is written.
    let text: String
    /// `T` of `T?`; the type itself when it is not optional.
    let wrapped: String
    /// The same, where the elements of arrays and the values of maps are named alone, so that one of which no field can
    /// hold many is one error.
    let checked: String
    let isOptional: Bool
    /// The type is a function: a parameter of this type needs `@escaping`.
    let isFunction: Bool

    /// The type is made of such as every module sees, as far as its spelling tells.
    var isSeenByAll: Bool {
        let names = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return !names.isEmpty && names.allSatisfy { PropertyType.namesForAll.contains(String($0)) }
    }

    private static let namesForAll: Set = [
        "Swift", "Foundation", "Bool", "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
        "UInt32", "UInt64", "Double", "Float", "Decimal", "Date", "Data", "URL", "UUID", "Array", "Dictionary",
        "Optional", "Set",
    ]

    init(_ type: TypeSyntax) {
        let wrapped = type.optionalWrapped ?? type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType
        text = type.trimmedDescription
        isOptional = wrapped != nil
        isFunction = type.bare.is(FunctionTypeSyntax.self)
        self.wrapped = (wrapped ?? type).bare.trimmedDescription
        checked = (wrapped ?? type).withCheckedElements
    }
}

/// A type that no field has.
enum UnsupportedType: String {
    case tuple = "a tuple"
    case function = "a function"
    case existential = "a type that is known only at run time"
    case implicitlyUnwrapped = "an implicitly unwrapped optional"
    case set = "a set, which has no order to travel in"
    case dictionary = "a dictionary whose keys are not String"
    case nestedOptional = "an optional of an optional, which a field cannot tell apart"

    /// The text that says what to do instead.
    func advice(_ subject: Subject) -> String {
        let orConvert = subject == .oneOf ? "" : ", or convert:"
        return switch self {
        case .tuple: "make it a struct with @Nested or @FieldValue, or fields of their own"
        case .function: subject == .model ? "a property that does not travel is @Local" : "it cannot travel"
        case .existential: "name a concrete type, or Value for anything"
        case .implicitlyUnwrapped, .nestedOptional: subject == .oneOf ? "write T" : "write T?"
        case .set: "use an array\(orConvert)"
        case .dictionary: "use String keys\(orConvert)"
        }
    }

    /// True for a type that a property may have with a conversion.
    var isConvertible: Bool { self == .set || self == .dictionary }
}

extension TypeSyntax {
    /// The type without the parentheses around it and the attributes before it.
    var bare: TypeSyntax {
        if let tuple = self.as(TupleTypeSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1,
            only.firstName == nil
        {
            return only.type.bare
        }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.bare }
        return self
    }

    /// `T` of `T?` and of `Optional<T>`.
    var optionalWrapped: TypeSyntax? {
        if let optional = bare.as(OptionalTypeSyntax.self) { return optional.wrappedType }
        return bare.arguments(of: "Optional")?.first
    }

    /// The code of the type, with a check of the elements of arrays and the values of maps.
    fileprivate var withCheckedElements: String {
        if let array = bare.as(ArrayTypeSyntax.self) { return "[\(array.element.checkedElement)]" }
        if let map = bare.as(DictionaryTypeSyntax.self) {
            return "[\(map.key.trimmedDescription): \(map.value.checkedElement)]"
        }
        return bare.trimmedDescription
    }

    private var checkedElement: String {
        if let optionalWrapped { return "\(optionalWrapped.checkedElement)?" }
        guard !bare.is(ArrayTypeSyntax.self), !bare.is(DictionaryTypeSyntax.self) else { return withCheckedElements }
        return "ModelTypes.ElementOf<\(bare.trimmedDescription)>"
    }

    /// The type is one of Swift's own that no id has, as far as its spelling tells.
    var isNoID: Bool {
        let others: Set = [
            "Bool", "Double", "Float", "Int8", "Int16", "UInt8", "UInt16", "Date", "Data", "URL", "Decimal",
        ]
        return bare.is(ArrayTypeSyntax.self) || others.contains(bare.trimmedDescription)
    }

    /// The generic arguments of a type of the standard library.
    private func arguments(of name: String) -> [TypeSyntax]? {
        let clause: GenericArgumentClauseSyntax?
        if let type = self.as(IdentifierTypeSyntax.self), type.name.text == name {
            clause = type.genericArgumentClause
        } else if let type = self.as(MemberTypeSyntax.self), type.name.text == name,
            type.baseType.trimmedDescription == "Swift"
        {
            clause = type.genericArgumentClause
        } else {
            return nil
        }
        return clause?.arguments.compactMap { TypeSyntax($0.argument) }
    }

    /// Why no field can have this type, and the part of it that is to blame; nil for a type that a field may have.
    var unsupported: (type: TypeSyntax, reason: UnsupportedType)? {
        let type = bare
        if type.is(TupleTypeSyntax.self) { return (self, .tuple) }
        if type.is(FunctionTypeSyntax.self) { return (self, .function) }
        if type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return (self, .implicitlyUnwrapped) }
        if type.is(SomeOrAnyTypeSyntax.self) || type.is(CompositionTypeSyntax.self)
            || ["Any", "AnyObject"].contains(type.trimmedDescription)
        {
            return (self, .existential)
        }
        if let wrapped = type.optionalWrapped {
            return wrapped.optionalWrapped == nil ? wrapped.unsupported : (self, .nestedOptional)
        }
        if type.arguments(of: "Set") != nil { return (self, .set) }
        if let element = type.as(ArrayTypeSyntax.self)?.element ?? type.arguments(of: "Array")?.first {
            return element.unsupported
        }
        return type.unsupportedDictionary.map { ($0.type ?? self, $0.reason) }
    }

    private var unsupportedDictionary: (type: TypeSyntax?, reason: UnsupportedType)? {
        let pair: [TypeSyntax]
        if let dictionary = self.as(DictionaryTypeSyntax.self) {
            pair = [dictionary.key, dictionary.value]
        } else {
            pair = arguments(of: "Dictionary") ?? []
        }
        guard pair.count == 2 else { return nil }
        if !["String", "Swift.String"].contains(pair[0].bare.trimmedDescription) { return (nil, .dictionary) }
        return pair[1].unsupported.map { ($0.type, $0.reason) }
    }
}
