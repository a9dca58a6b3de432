import FoundationEssentials

/// Builds the description of a model: the name of its type, and what is known.
public struct ModelText: CustomStringConvertible {
    private let name: String
    private var parts: [String] = []

    /// A description without properties.
    public init(_ name: String) { self.name = name }

    /// Adds a property and its value.
    public mutating func add<T>(_ property: String, _ value: T) {
        parts.append("\(property): \(ModelText.text(value))")
    }

    /// Adds a property and the state of its field; nothing when the field is unknown.
    public mutating func add<T>(_ property: String, _ state: FieldState<T>) {
        switch state {
        case .unknown: return
        case .null: add(property, T?.none)
        case .value(let value): add(property, value)
        case .faulty(let fault): parts.append("\(property): faulty, \(fault)")
        }
    }

    /// The description of a model, by its stored properties. For generated code, which a call for each property would
    /// make a tenth longer.
    /// - Parameters:
    ///   - model: the model.
    ///   - name: that of the type, as people know it.
    ///   - id: the name of the property that is the id.
    ///   - unknown: the places of the fields that are unknown.
    ///   - fields: the names of the properties that are fields, in their order.
    public static func of<M: Model>(
        _ model: M, _ name: String, id: String, unless unknown: FieldSet = FieldSet(), fields: String...
    ) -> String {
        var text = ModelText(name)
        text.add(id, model.id)
        text.add(fields, of: model, unless: unknown)
        return text.description
    }

    /// The description of a group, by its stored properties. For generated code.
    /// - Parameters:
    ///   - group: the group.
    ///   - name: that of the type, as people know it.
    ///   - unknown: the places of the fields that are unknown.
    ///   - fields: the names of the properties, in their order.
    public static func of<G: FieldGroup>(
        _ group: G, _ name: String, unless unknown: FieldSet, fields: String...
    ) -> String {
        var text = ModelText(name)
        text.add(fields, of: group, unless: unknown)
        return text.description
    }

    /// Adds the stored properties of these names.
    private mutating func add(_ fields: [String], of subject: Any, unless unknown: FieldSet) {
        let values = Dictionary(
            Mirror(reflecting: subject).children.lazy.compactMap { child in child.label.map { ($0, child.value) } },
            uniquingKeysWith: { first, _ in first })
        for (place, field) in fields.enumerated() where !unknown.contains(place) {
            if let value = values[field] { add(field, value) }
        }
    }

    /// The description of a partial model, by its stored properties. For generated code.
    /// - Parameters:
    ///   - partial: the partial model.
    ///   - name: that of the type, as people know it.
    public static func of(_ partial: some PartialModel, _ name: String) -> String {
        var text = ModelText(name)
        for (property, value) in Mirror(reflecting: partial).children {
            guard let property else { continue }
            if let state = value as? any DescribedState {
                state.add(to: &text, property)
            } else {
                text.add(property, value)
            }
        }
        return text.description
    }

    /// The text of a value: strings in quotation marks, optionals unwrapped.
    private static func text<T>(_ value: T) -> String {
        if let text = value as? String { return text.debugDescription }
        // The description of a date that is no number ends the process, and any publisher may send one.
        if let date = value as? Date, !date.timeIntervalSince1970.isFinite {
            return "Date(\(date.timeIntervalSince1970))"
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { text($0.value) } ?? "nil"
        case .collection: return "[\(mirror.children.map { text($0.value) }.joined(separator: ", "))]"
        case .dictionary where !mirror.children.isEmpty:
            let pairs = mirror.children.map { pair in
                Mirror(reflecting: pair.value).children.map { text($0.value) }.joined(separator: ": ")
            }
            return "[\(pairs.joined(separator: ", "))]"
        default: return "\(value)"
        }
    }

    public var description: String { "\(name)(\(parts.joined(separator: ", ")))" }
}

/// The state of a field whose type is not known.
private protocol DescribedState {
    func add(to text: inout ModelText, _ property: String)
}

extension FieldState: DescribedState {
    fileprivate func add(to text: inout ModelText, _ property: String) { text.add(property, self) }
}
