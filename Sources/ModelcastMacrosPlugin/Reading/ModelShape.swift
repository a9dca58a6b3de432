import SwiftSyntax

/// A member that the struct may have of its own, in place of the generated one.
enum OwnMember: Hashable {
    case equality, hash, decoderInit, encode, modelType

    /// The member that a declaration is; nil for another one.
    init?(_ member: DeclSyntax) {
        switch member.as(DeclSyntaxEnum.self) {
        case .functionDecl(let function):
            let parameters = function.signature.parameterClause.parameters
            let labels = parameters.map(\.firstName.text)
            switch function.name.text {
            case "==" where labels.count == 2: self = .equality
            case "hash" where labels == ["into"]: self = .hash
            case "encode" where labels == ["to"]: self = .encode
            default: return nil
            }
        case .initializerDecl(let initializer):
            guard initializer.signature.parameterClause.parameters.map(\.firstName.text) == ["from"] else { return nil }
            self = .decoderInit
        case .variableDecl(let variable):
            guard variable.kind == .shared,
                variable.bindings.contains(where: { $0.pattern.trimmedDescription == "modelType" })
            else { return nil }
            self = .modelType
        default: return nil
        }
    }
}

/// A struct with `@Model`, as it was read.
struct ModelShape {
    /// The struct's name.
    let name: String
    /// The type's name on the wire.
    let typeName: String
    let access: Access
    /// The struct stands within another type.
    let isNested: Bool
    /// The id, fields and local properties, in the order of the declarations.
    let properties: [StoredProperty]
    let id: StoredProperty
    /// The struct has an initialiser with the labels of the memberwise one.
    let hasOwnInit: Bool
    /// The members that the struct has of its own.
    let own: Set<OwnMember>
    /// The struct has an instance property `description`, of whatever kind.
    let hasOwnDescription: Bool

    /// The fields, in the order of the static `properties`.
    var fields: [StoredProperty] { properties.filter { $0.role == .field } }
    /// The expression of the id's name in JSON; nil for `id`.
    var idKey: String? { id.field == "id" ? nil : id.field.literal }
    var constants: [StoredProperty] { fields.filter(\.isConstant) }
    /// Fields that may be nil, or have their default, because they are unknown, with their places in `properties`.
    var tracked: [(place: Int, field: StoredProperty)] { fields.tracked }

    /// True when a field is called `description`: then no description is generated.
    var hasDescriptionField: Bool { fields.contains { $0.plainName == "description" } }

    /// The name of the stored property with the fields that were unknown when the model was read.
    var unread: String { properties.nameOfUnread }
}

extension [StoredProperty] {
    /// The properties that may be nil, or have their default, because their fields are unknown, with their places among
    /// these.
    var tracked: [(place: Int, field: StoredProperty)] {
        enumerated().filter { $1.isTracked }.map { ($0, $1) }
    }

    /// The name of the stored property of the fields that were unknown, beside these.
    var nameOfUnread: String { contains { $0.plainName == "unread" } ? "unreadFields" : "unread" }
}
