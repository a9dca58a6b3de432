import SwiftSyntax

/// How far a declaration can be seen.
enum Access: Int, Comparable {
    case file
    case module
    case package
    case everywhere

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    init(_ modifiers: DeclModifierListSyntax) {
        self = .module
        // `private(set)` restricts writing only.
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.tokenKind {
            case .keyword(.private), .keyword(.fileprivate): self = .file
            case .keyword(.package): self = .package
            case .keyword(.public), .keyword(.open): self = .everywhere
            default: break
            }
        }
    }

    /// The modifier of a generated member of a type with this access, with a space behind it. A private type needs
    /// none.
    var ofMember: String { self == .file ? "" : ofProperty }

    /// The modifier of a generated member of an extension of a type with this access, with a space behind it: the
    /// extension does not stand within a private type that the type may stand in.
    /// - Parameter context: the declarations around the type.
    func ofExtensionMember(within context: [Syntax]) -> String {
        let isHidden = context.contains { node in
            node.asProtocol((any WithModifiersSyntax).self).map { Access($0.modifiers) == .file } ?? false
        }
        return isHidden ? "fileprivate " : ofMember
    }

    /// The modifier of what stands for a property, in a generated member of a type with this access.
    func ofPart(_ property: StoredProperty) -> String { self == .file ? "" : min(property.access, self).ofProperty }

    /// The modifier of a property with this access. A private one becomes `fileprivate`, because other types of the
    /// file make the generated types that have it.
    var ofProperty: String {
        switch self {
        case .file: "fileprivate "
        case .module: ""
        case .package: "package "
        case .everywhere: "public "
        }
    }
}
