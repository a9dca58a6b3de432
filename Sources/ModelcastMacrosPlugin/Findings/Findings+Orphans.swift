import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension Findings {
    /// Reports a marker in a type without a macro that would read it.
    mutating func checkOwner(of attribute: AttributeSyntax, in context: some MacroExpansionContext) {
        guard let marker = Marker(attribute) else { return }
        let owner = context.lexicalContext.first
        let attributes = owner?.asProtocol((any WithAttributesSyntax).self)?.attributes ?? []
        let isRead = attributes.contains { element in
            guard case .attribute(let other) = element else { return false }
            // Where the other macro does not know the marker, it says so itself.
            return Subject(rawValue: other.attributeName.trimmedDescription.lastName) != nil
        }
        guard !isRead else { return }
        let name = owner?.asProtocol((any NamedDeclSyntax).self)?.name.text
        report(.orphan(marker, owner: name), at: attribute)
    }
}
