extension [String] {
    /// The function that compares two values, property by property: one long condition takes the compiler longer.
    /// - Parameter pairs: what is compared, each as the two arguments of a call.
    static func equality(of type: String, _ pairs: [String], _ access: String) -> [String] {
        .block(
            "\(access)static func == (left: \(type), right: \(type)) -> Swift.Bool",
            pairs.map { "if ModelTypes.FieldRule.differ(\($0)) { return false }" } + ["return true"])
    }

    /// The function that makes an equality of the type's own that of its conformance. Where a macro announces `==`, the
    /// compiler looks for another one too late, and derives it.
    static func ownEquality(_ access: String) -> [String] {
        ["@_implements(Swift.Equatable, ==(_:_:))"]
            + .block("\(access)static func isEqualByOwn(_ left: Self, _ right: Self) -> Swift.Bool", ["left == right"])
    }

    /// The function that hashes a value, property by property.
    static func hash(_ values: [String], _ access: String) -> [String] {
        .block("\(access)func hash(into hasher: inout Swift.Hasher)", values.map { "hasher.combine(\($0))" })
    }
}

extension String {
    /// The member of this name in both values, as arguments.
    var compared: String { "left.\(self), right.\(self)" }
}

extension StoredProperty {
    /// The property in both values, as arguments.
    var compared: String { "\(typed("left.\(name)")), right.\(name)" }
    /// The expression that is hashed.
    var hashed: String { typed(name(among: "hasher")) }
}
