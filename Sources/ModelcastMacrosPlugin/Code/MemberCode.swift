import SwiftSyntax

/// The members that stand in the struct itself, because an extension cannot have them, or should not.
struct MemberCode {
    private let shape: ModelShape

    init(_ shape: ModelShape) { self.shape = shape }

    var members: [[String]] {
        var members: [[String]] = []
        if !shape.tracked.isEmpty { members.append(["private var \(shape.unread) = ModelTypes.FieldSet()"]) }
        if !shape.hasOwnInit { members += shape.properties.memberwiseInits(shape.access) }
        return members
    }
}

extension [StoredProperty] {
    /// The memberwise initialiser. Where some properties can be seen less far than the struct, it can be seen as far as
    /// these, though in the whole module, because their types may be seen no further; and if each of them has a
    /// default, another one without them can be seen as far as the struct. A type that everybody sees hides nothing.
    func memberwiseInits(_ access: Access) -> [[String]] {
        func reach(_ property: StoredProperty) -> Access {
            property.type.isSeenByAll ? access : Swift.max(property.access, .module)
        }
        let hidden = filter { reach($0) < access }
        guard let least = hidden.map(reach).min() else { return [memberwiseInit(access.ofMember)] }
        let whole = memberwiseInit(least.ofProperty)
        let isPossible = hidden.count < count && hidden.allSatisfy { $0.memberwiseDefault != nil }
        return isPossible ? [whole, memberwiseInit(access.ofMember) { reach($0) >= access }] : [whole]
    }

    /// - Parameter isGiven: whether a property is a parameter; others get their defaults.
    private func memberwiseInit(_ access: String, where isGiven: (StoredProperty) -> Bool = { _ in true }) -> [String] {
        let parameters = filter(isGiven).map { property in
            let escaping = property.type.isFunction ? "@escaping " : ""
            let value = property.memberwiseDefault.map { " = \($0)" } ?? ""
            return "\(property.name): \(escaping)\(property.type.text)\(value)"
        }
        let assignments = map { property in
            "self.\(property.name) = \(isGiven(property) ? property.name : property.memberwiseDefault ?? "nil")"
        }
        return .list("\(access)init(", parameters, ") {") + assignments.indented() + ["}"]
    }
}

extension StoredProperty {
    /// The default of the property in the memberwise initialiser; nil where there is none.
    var memberwiseDefault: String? { defaultValue?.trimmedDescription ?? (type.isOptional ? "nil" : nil) }
}
