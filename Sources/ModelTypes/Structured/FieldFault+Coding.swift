import ModelRecord

extension FieldFault {
    /// The keys that lead to the part at fault.
    var codingPath: [any CodingKey] { part.split(separator: ".").map { FieldCodingKey(String($0)) } }

    /// The fault of a value that holds this one under a key, or at an index.
    /// - Parameter key: the key; empty for the value itself. A way of several keys has dots.
    func within(_ key: String) -> FieldFault {
        if key.isEmpty { return self }
        let isNamed = !part.isEmpty && wanted.hasPrefix("\(part): ")
        let rest = isNamed ? String(wanted.dropFirst(part.count + 2)) : wanted
        let path = FieldName.path(key, part)
        return FieldFault(code, wanted: "\(isNamed ? path : key): \(rest)", value: value, part: path)
    }

    /// The fault of a value that does not decode as `type`.
    init(_ error: any Error, decoding type: Any.Type, of value: Value) {
        guard let error = error as? DecodingError else {
            self.init(.form, wanted: "what decodes as \(type): \(error)", value: value)
            return
        }
        let (path, context) = (error.path, error.context)
        if let fault = context.underlyingError as? FieldFault {
            self = fault.within(path.text(endingIn: fault.part))
            return
        }
        let found = value.member(at: path)
        let fault =
            switch error {
            case .keyNotFound: FieldFault(.incomplete, wanted: "known", value: .undefined)
            case .typeMismatch, .valueNotFound: FieldFault(found, wanted: context.debugDescription)
            default: FieldFault(.form, wanted: "what decodes as \(type): \(context.debugDescription)", value: found)
            }
        self = fault.within(path.text)
    }

    /// The fault of a value that no record can hold.
    init(_ error: any Error, encoding content: Any) {
        guard case .invalidValue(let value, let context)? = error as? EncodingError else {
            self.init(.form, wanted: "what can be encoded: \(error)", value: .text("\(content)"))
            return
        }
        let path = context.codingPath
        if let fault = context.underlyingError as? FieldFault {
            self = fault.within(path.text(endingIn: fault.part))
        } else {
            let wanted = "what can be encoded: \(context.debugDescription)"
            self = FieldFault(.form, wanted: wanted, value: .text("\(value)")).within(path.text)
        }
    }
}

extension DecodingError {
    /// The error of a part of a value that is a ``FieldValue``.
    init(_ fault: FieldFault, of type: Any.Type, _ path: [any CodingKey]) {
        let context = Context(
            codingPath: path + fault.codingPath, debugDescription: fault.description, underlyingError: fault)
        self =
            switch fault.code {
            case .null: .valueNotFound(type, context)
            case .kind: .typeMismatch(type, context)
            default: .dataCorrupted(context)
            }
    }

    var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "\(self)")
        }
    }

    /// The keys that lead to what is missing or faulty.
    var path: [any CodingKey] {
        if case .keyNotFound(let key, let context) = self { context.codingPath + [key] } else { context.codingPath }
    }
}

extension Collection where Element == any CodingKey {
    /// The keys with dots between them; an index is its number.
    var text: String { map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") }

    /// The keys before those of a part to which they lead.
    func text(endingIn part: String) -> String {
        let text = text
        guard text.hasSuffix(part) else { return text }
        let rest = text.dropLast(part.count)
        return String(rest.last == "." ? rest.dropLast() : rest)
    }
}

extension Value {
    /// The value to which keys lead; null where there is none.
    fileprivate func member(at path: [any CodingKey]) -> Value {
        var found = self
        for key in path {
            switch found {
            case .map(let map): found = map[key.stringValue] ?? .null
            case .array(let values):
                let place = key.intValue ?? -1
                found = values.indices.contains(place) ? values[place] : .null
            default: return found
            }
        }
        return found
    }
}
