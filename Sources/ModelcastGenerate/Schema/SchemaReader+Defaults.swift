import Foundation

/// The Swift expression of a value.
struct ValueText: Hashable {
    /// The expression where the type is known.
    let short: String
    /// The expression where the type is not known.
    let full: String
    /// The expressions of the elements of an array or a dictionary.
    let elements: [String]

    init(_ short: String, full: String? = nil, elements: [String] = []) {
        (self.short, self.full, self.elements) = (short, full ?? short, elements)
    }
}

/// Defaults and constants.
extension SchemaReader {
    /// The initial value of a property: its constant or its default.
    /// - Returns: nil after a problem, which is reported; a nil `value` where the schema gives none.
    func initialValue(_ reading: TypeReading) -> (value: ValueText?, Void)? {
        guard let node = reading.constant ?? reading.defaultValue else { return (nil, ()) }
        if node.value == .null {
            if reading.isNullable { return (nil, ()) }
            findings.report("the default is null, which the type is not: correct one of the two", at: node)
            return nil
        }
        guard let value = literal(node.value, reading.type) else {
            let message =
                switch reading.type {
                case .group: "an object has no default: give its properties some"
                case .reference, .value, .data, .own: "a \(reading.type.text) has no default: take it out"
                default: "the default is no \(reading.type.text): correct it"
                }
            findings.report(message, at: node)
            return nil
        }
        return (value, ())
    }

    private func literal(_ value: JSON, _ type: SwiftType) -> ValueText? {
        switch type {
        case .plain("Bool"): return value.bool.map { ValueText("\($0)") }
        case .plain("String"): return value.text.map { ValueText($0.literal) }
        case .plain: return number(value, type).map { ValueText($0) }
        case .url: return value.text.flatMap { URL(string: $0) == nil ? nil : ValueText("URL(string: \($0.literal))!") }
        case .uuid:
            return value.text.flatMap { text in
                UUID(uuidString: text) == nil ? nil : ValueText("UUID(uuidString: \(text.literal))!")
            }
        case .date: return value.text.flatMap(date)
        case .enumeration(let shape, let isOpen): return member(value, of: shape, isOpen: isOpen)
        case .array(let element): return list(value, of: element, type)
        case .dictionary(let element): return pairs(value, of: element, type)
        case .optional(let wrapped): return value == .null ? ValueText("nil") : literal(value, wrapped)
        case .value, .data, .reference, .group, .own: return nil
        }
    }

    private func date(_ text: String) -> ValueText? {
        guard let date = try? Date.ISO8601FormatStyle().parse(text) else { return nil }
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard let whole = Int(exactly: milliseconds) else { return nil }
        let seconds = whole % 1000 == 0 ? "\(whole / 1000)" : "\(milliseconds / 1000)"
        return ValueText("Date(timeIntervalSince1970: \(seconds))")
    }

    private func member(_ value: JSON, of shape: EnumShape, isOpen: Bool) -> ValueText? {
        let raw = value.integer.map { JSON.number(String($0)) } ?? value
        guard let element = shape.cases.first(where: { $0.raw == raw }) else { return nil }
        let name = element.name == "init" ? "`init`" : element.name
        if isOpen { return ValueText(".known(.\(name))", full: "Open<\(shape.name)>.known(.\(name))") }
        // `.none` alone would mean nil where the type is optional.
        return name == "none"
            ? ValueText("\(shape.name).none") : ValueText(".\(name)", full: "\(shape.name).\(name)")
    }

    private func list(_ value: JSON, of element: SwiftType, _ type: SwiftType) -> ValueText? {
        guard let elements = value.array else { return nil }
        let texts = elements.compactMap { literal($0, element)?.short }
        guard texts.count == elements.count else { return nil }
        let short = "[\(texts.joined(separator: ", "))]"
        return ValueText(short, full: "\(short) as \(type.text)", elements: texts)
    }

    private func pairs(_ value: JSON, of element: SwiftType, _ type: SwiftType) -> ValueText? {
        guard let members = value.object?.members else { return nil }
        let texts = members.compactMap { member in
            literal(member.value, element).map { "\(member.key.literal): \($0.short)" }
        }
        guard texts.count == members.count else { return nil }
        let short = texts.isEmpty ? "[:]" : "[\(texts.joined(separator: ", "))]"
        return ValueText(short, full: "\(short) as \(type.text)", elements: texts)
    }
}
