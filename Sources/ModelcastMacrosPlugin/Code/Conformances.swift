import SwiftSyntax

/// The protocols that the extension of a macro conforms to, by their full names.
///
/// Each stands with all that it inherits from, here and where the macro is declared. In a file that does not have the
/// type the compiler knows what a macro announces by its name alone until it expands the extension, and takes what that
/// inherits from for missing: a `Model` in a `Set` would compile in one file and not in another.
struct Conformances {
    private let names: [String]

    private init(_ names: [String]) { self.names = names }

    static let model = Conformances(
        ["ModelTypes.Model", "Swift.Identifiable"] + hashable + ["Swift.Codable", "Swift.CustomStringConvertible"])
    static let group = Conformances(
        ["ModelTypes.FieldGroup", "ModelTypes.ModelFieldType"] + hashable + ["Swift.CustomStringConvertible"])
    static let value = Conformances(
        ["ModelTypes.StructuredValue", "ModelTypes.FieldValue", "ModelTypes.ModelFieldType"] + hashable
            + ["Swift.Codable"])

    private static let hashable = ["Swift.Hashable", "Swift.Equatable", "Swift.Sendable"]

    /// The protocols among these that the compiler asks for: it leaves out what the type says itself.
    /// - Parameter isDescribed: the macro makes the description.
    func asked(among protocols: [TypeSyntax], isDescribed: Bool) -> [String] {
        let asked = Set(protocols.map(\.trimmedDescription.lastName))
        return names.flatMap { name -> [String] in
            switch name {
            case "Swift.Codable" where !asked.contains("Codable") && !asked.isSuperset(of: ["Decodable", "Encodable"]):
                ["Decodable", "Encodable"].filter(asked.contains).map { "Swift.\($0)" }
            case "Swift.Codable": [name]
            case "Swift.CustomStringConvertible" where !isDescribed: []
            default: asked.contains(name.lastName) ? [name] : []
            }
        }
    }
}

extension [TypeSyntax] {
    /// Whether a description is to be made. The compiler does not ask for one where an extension of the user's own has
    /// it; nor where the type itself says that it is described, and there its members tell.
    func asksForDescription(of declaration: some DeclGroupSyntax) -> Bool {
        declaration.inheritanceClause != nil
            || contains { $0.trimmedDescription.lastName == "CustomStringConvertible" }
    }
}

extension String {
    /// The name of a type without those of the types and modules around it.
    var lastName: String { split(separator: ".").last.map(String.init) ?? "" }
}
