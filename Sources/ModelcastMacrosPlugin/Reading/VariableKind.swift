import SwiftSyntax

/// Where a property has its value from.
enum VariableKind: String {
    case stored
    case computed
    case shared = "static"
    case lazy
}

extension VariableDeclSyntax {
    var kind: VariableKind {
        for modifier in modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.static), .keyword(.class): return .shared
            case .keyword(.lazy): return .lazy
            default: break
            }
        }
        return bindings.contains(where: \.isComputed) ? .computed : .stored
    }
}

extension PatternBindingSyntax {
    /// Observers alone leave a property stored.
    fileprivate var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: return false
        case .getter: return true
        case .accessors(let accessors):
            return accessors.contains { accessor in
                let observers: [TokenKind] = [.keyword(.willSet), .keyword(.didSet)]
                return !observers.contains(accessor.accessorSpecifier.tokenKind)
            }
        }
    }
}
