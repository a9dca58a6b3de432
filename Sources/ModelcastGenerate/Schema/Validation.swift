/// A condition that a value must meet beyond its type.
indirect enum Rule: Hashable {
    struct Bound: Hashable {
        let text: String
        let isExclusive: Bool
    }

    /// The bounds of a number.
    case range(Bound?, Bound?)
    /// The bounds of a text's length, in characters.
    case length(Int?, Int?)
    /// The bounds of the number of elements of an array or a dictionary.
    case count(Int?, Int?)
    /// The value is a multiple of this number.
    case multiple(String)
    /// The text has a part that matches this regular expression.
    case pattern(String)
    /// No two elements of the array are equal.
    case unique
    /// The value equals this expression.
    case equal(String)
    /// The rules of each element.
    case each([Rule])

    /// The wanted value, for messages, in which it stands behind "is not".
    var wanted: String {
        switch self {
        case .range(let low, let high):
            return [
                low.map { ($0.isExclusive ? "more than " : "at least ") + $0.text },
                high.map { ($0.isExclusive ? "less than " : "at most ") + $0.text },
            ]
            .compactMap(\.self).joined(separator: " and ")
        case .length(let low, let high): return "text of \(Rule.amount(low, high, "character"))"
        case .count(let low, let high): return Rule.amount(low, high, "element")
        case .multiple(let factor): return "a multiple of \(factor)"
        case .pattern(let pattern): return "text that matches \(pattern)"
        case .unique: return "elements of which no two are equal"
        case .equal(let value): return value
        case .each(let rules): return "elements that are \(rules.map(\.wanted).joined(separator: ", "))"
        }
    }

    private static func amount(_ low: Int?, _ high: Int?, _ unit: String) -> String {
        let units = (high ?? low) == 1 ? unit : unit + "s"
        return switch (low, high) {
        case (let low?, nil): "at least \(low) \(units)"
        case (nil, let high?): "at most \(high) \(units)"
        default: low == high ? "\(low ?? 0) \(units)" : "\(low ?? 0) to \(high ?? 0) \(units)"
        }
    }

    /// The condition as a Swift expression.
    /// - Parameters:
    ///   - value: the expression of the value.
    ///   - type: the type of the value.
    func condition(_ value: String, _ type: SwiftType) -> String {
        switch self {
        case .range(let low, let high):
            return [
                low.map { "\(value) \($0.isExclusive ? ">" : ">=") \($0.text)" },
                high.map { "\(value) \($0.isExclusive ? "<" : "<=") \($0.text)" },
            ]
            .compactMap(\.self).joined(separator: " && ")
        case .length(let low, let high):
            return Rule.holds("\(Rule.text(value, type)).count", low, high)
        case .count(let low, let high): return Rule.holds("\(value).count", low, high)
        case .multiple(let factor):
            if ![.plain("Double"), .plain("Float")].contains(type) { return "\(value).isMultiple(of: \(factor))" }
            // The quotient of 0.3 and 0.1 is not quite 3.
            return "abs((\(value) / \(factor)).rounded() - \(value) / \(factor)) < 1e-9"
        case .pattern(let pattern):
            return "PatternValidation(\(pattern.literal)).accepts(\(Rule.text(value, type)))"
        case .unique: return "Set(\(value)).count == \(value).count"
        case .equal(let expected): return "\(value) == \(expected)"
        case .each(let rules):
            let (elements, element): (String, SwiftType) =
                switch type {
                case .array(let element): (value, element)
                case .dictionary(let element): ("\(value).values", element)
                default: (value, type)
                }
            let conditions = rules.map { $0.condition("$0", element) }.joined(separator: " && ")
            return "\(elements).allSatisfy { \(conditions) }"
        }
    }

    /// The expression of a value's text.
    private static func text(_ value: String, _ type: SwiftType) -> String {
        switch type {
        case .url: "\(value).absoluteString"
        case .uuid: "\(value).uuidString"
        default: value
        }
    }

    private static func holds(_ count: String, _ low: Int?, _ high: Int?) -> String {
        switch (low, high) {
        case (let low?, nil): "\(count) >= \(low)"
        case (nil, let high?): "\(count) <= \(high)"
        default: low == high ? "\(count) == \(low ?? 0)" : "(\(low ?? 0)...\(high ?? 0)).contains(\(count))"
        }
    }
}

/// The argument `validate:` of `@Field`.
struct Validation: Hashable {
    /// The expression up to its closure; the whole expression if it has none.
    let head: String
    /// The signature of the closure; empty if there is none.
    let signature: String
    let conditions: [String]

    /// The argument in one line.
    var text: String {
        signature.isEmpty ? head : "\(head) { \(signature) in \(conditions.joined(separator: " && ")) }"
    }
}

extension [Rule] {
    /// The argument of `@Field` that checks these rules; nil where there are none.
    func validation(of type: SwiftType) -> Validation? {
        if isEmpty { return nil }
        if count == 1 {
            switch self[0] {
            case .range(let low?, let high?) where !low.isExclusive && !high.isExclusive:
                return Validation(head: ".range(\(low.text)...\(high.text))", signature: "", conditions: [])
            case .count(let low, let high) where type.isOfStructs:
                // The type of the elements is not named, as a struct within itself needs it.
                let range = high.map { "\(low ?? 0)...\($0)" } ?? "\(low ?? 0)..."
                return Validation(head: ".count(\(range))", signature: "", conditions: [])
            case .length(let low, let high?) where type == .plain("String"):
                return Validation(head: ".length(\(low ?? 0)...\(high))", signature: "", conditions: [])
            case .pattern(let pattern) where type == .plain("String"):
                return Validation(head: ".pattern(\(pattern.literal))", signature: "", conditions: [])
            default: break
            }
        }
        let wanted = map(\.wanted).joined(separator: ", ").literal
        return Validation(
            head: ".check(\(wanted))", signature: "@Sendable (value: \(type.text))",
            conditions: map { $0.condition("value", type) })
    }
}
