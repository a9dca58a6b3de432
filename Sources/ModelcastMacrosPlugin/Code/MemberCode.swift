import SwiftSyntax

/// The members of the struct that an extension cannot have, or should not.
struct MemberCode {
    private let shape: ModelShape

    init(_ shape: ModelShape) { self.shape = shape }

    var members: [[String]] {
        var members: [[String]] = []
        if !shape.tracked.isEmpty { members.append(["private var \(shape.unread) = FieldSet()"]) }
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
    /// What the memberwise initialiser takes for it where nothing is said.
    var memberwiseDefault: String? { defaultValue?.trimmedDescription ?? (type.isOptional ? "nil" : nil) }
}
