import Foundation

/// Bounds of values.
extension SchemaReader {
    func numberRules(_ node: SchemaNode, _ type: SwiftType) -> [Rule] {
        let low = bound(node, "minimum", "exclusiveMinimum", type)
        let high = bound(node, "maximum", "exclusiveMaximum", type)
        if let low, let high, let from = Double(low.text), let to = Double(high.text),
            from > to || from == to && (low.isExclusive || high.isExclusive)
        {
            findings.report("nothing is within these bounds: correct them", at: node)
            return []
        }
        return low == nil && high == nil ? [] : [.range(low, high)]
    }

    private func bound(_ node: SchemaNode, _ key: String, _ exclusiveKey: String, _ type: SwiftType) -> Rule.Bound? {
        // In the drafts before 6 the exclusive one is true or false, and says it of the other.
        if let isExclusive = node.object[exclusiveKey]?.bool {
            guard let value = node[key] else { return nil }
            return bound(value, key, isExclusive: isExclusive, type)
        }
        if node[key] != nil, node[exclusiveKey] != nil {
            findings.report("\(key) is here, too: keep one of the two", at: node, exclusiveKey)
            return nil
        }
        let isExclusive = node[exclusiveKey] != nil
        let name = isExclusive ? exclusiveKey : key
        return node[name].flatMap { bound($0, name, isExclusive: isExclusive, type) }
    }

    private func bound(_ value: SchemaNode, _ name: String, isExclusive: Bool, _ type: SwiftType) -> Rule.Bound? {
        guard let text = number(value.value, type) else {
            findings.report("\(name) is not a number that a \(type.text) can be: correct it", at: value)
            return nil
        }
        return Rule.Bound(text: text, isExclusive: isExclusive)
    }

    /// A number as Swift writes it; nil if the type cannot hold it.
    func number(_ value: JSON, _ type: SwiftType) -> String? {
        switch type {
        case .plain("Int"), .plain("Int64"): return value.integer.map(String.init)
        case .plain("Int32"): return value.integer.flatMap(Int32.init(exactly:)).map { String($0) }
        case .plain("Double"), .plain("Float"):
            if case .number(let text) = value { return text }
            return nil
        default: return nil
        }
    }

    func multipleRules(_ node: SchemaNode, _ type: SwiftType) -> [Rule] {
        guard let value = node["multipleOf"] else { return [] }
        guard let text = number(value.value, type), let factor = Double(text), factor > 0 else {
            findings.report("multipleOf is not a \(type.text) above 0: correct it", at: value)
            return []
        }
        return [.multiple(text)]
    }

    func patternRules(_ node: SchemaNode) -> [Rule] {
        guard let pattern = node.text("pattern") else { return [] }
        guard (try? NSRegularExpression(pattern: pattern)) != nil else {
            findings.report(
                "the pattern is no regular expression of ICU, which checks it here: write it so that it is one",
                at: node, "pattern")
            return []
        }
        return [.pattern(pattern)]
    }

    func lengthRules(_ node: SchemaNode) -> [Rule] {
        let (low, high) = amounts(node, "minLength", "maxLength")
        return low == nil && high == nil ? [] : [.length(low, high)]
    }

    func countRules(_ node: SchemaNode, _ lowKey: String, _ highKey: String) -> [Rule] {
        let (low, high) = amounts(node, lowKey, highKey)
        return low == nil && high == nil ? [] : [.count(low, high)]
    }

    private func amounts(_ node: SchemaNode, _ lowKey: String, _ highKey: String) -> (Int?, Int?) {
        for key in [lowKey, highKey] {
            guard let value = node[key] else { continue }
            if value.value.integer.map({ $0 < 0 }) ?? true {
                findings.report("\(key) is a number, 0 or more: correct it", at: value)
                return (nil, nil)
            }
        }
        // A minimum of 0 is no bound.
        let low = node.object[lowKey]?.integer.flatMap { $0 == 0 ? nil : $0 }
        let high = node.object[highKey]?.integer
        if let low, let high, low > high {
            findings.report("nothing is within these bounds: correct them", at: node)
            return (nil, nil)
        }
        return (low, high)
    }
}
