public import ModelRecord

/// An array or a dictionary is one value: it is written, merged and observed as a whole.
extension Array: FieldValue where Element: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        guard case .array(let values) = value else { throw FieldFault(value, wanted: "an array") }
        self = try values.map { value throws(FieldFault) in try Element(value) }
    }

    public func encoded() throws(FieldFault) -> Value {
        .array(try map { element throws(FieldFault) in try element.encoded() })
    }
}

extension Dictionary: FieldValue where Key == String, Value: FieldValue {
    public init(_ value: ModelRecord.Value) throws(FieldFault) {
        guard case .map(let values) = value else { throw FieldFault(value, wanted: "a map") }
        self.init(minimumCapacity: values.count)
        do throws(FieldFault) {
            for (key, value) in values { self[key] = try Value(value) }
        } catch {
            // Dictionaries have no order, so the first fault by key is looked for: the same value always gives the same
            // error.
            for (_, value) in values.sorted(by: { $0.key < $1.key }) { _ = try Value(value) }
            throw error
        }
    }

    public func encoded() throws(FieldFault) -> ModelRecord.Value {
        var values: [String: ModelRecord.Value] = [:]
        values.reserveCapacity(count)
        for (key, value) in self { values[key] = try value.encoded() }
        return .map(values)
    }
}
