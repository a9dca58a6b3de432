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
        // `private(set)` says nothing of who may read.
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.tokenKind {
            case .keyword(.private), .keyword(.fileprivate): self = .file
            case .keyword(.package): self = .package
            case .keyword(.public), .keyword(.open): self = .everywhere
            default: break
            }
        }
    }

    /// What stands before a member of a type that is itself seen that far: in a private type nothing is needed.
    var ofMember: String { self == .file ? "" : ofProperty }

    /// What stands before a property. The types that hold it are made in other types of the file.
    var ofProperty: String {
        switch self {
        case .file: "fileprivate "
        case .module: ""
        case .package: "package "
        case .everywhere: "public "
        }
    }
}
