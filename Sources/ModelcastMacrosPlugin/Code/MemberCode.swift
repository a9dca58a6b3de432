import SwiftSyntax

/// The members that stand in the struct itself, because an extension cannot have them, or should not.
struct MemberCode {
    private let shape: ModelShape

    init(_ shape: ModelShape) { self.shape = shape }

    var members: [[String]] {
        var members: [[String]] = []
        if !shape.tracked.isEmpty { members.append(["private var \(shape.unread) = ModelTypes.FieldSet()"]) }
        if !shape.hasOwnInit { members.append(shape.properties.memberwiseInit(shape.access)) }
        return members
    }
}

extension [StoredProperty] {
    func memberwiseInit(_ access: Access) -> [String] {
        let parameters = map { property in
            let escaping = property.type.isFunction ? "@escaping " : ""
            let value = property.memberwiseDefault.map { " = \($0)" } ?? ""
            return "\(property.name): \(escaping)\(property.type.text)\(value)"
        }
        let assignments = map { "self.\($0.name) = \($0.name)" }
        return .list("\(access.ofMember)init(", parameters, ") {") + assignments.indented() + ["}"]
    }
}

extension StoredProperty {
    /// The default of the property in the memberwise initialiser; nil where there is none.
    var memberwiseDefault: String? { defaultValue?.trimmedDescription ?? (type.isOptional ? "nil" : nil) }
}
