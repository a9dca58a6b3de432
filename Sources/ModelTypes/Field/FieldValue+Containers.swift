public import ModelRecord

extension Array: ModelFieldType where Element: FieldValue {}

/// An array or a dictionary is one value: it is written, merged and observed as a whole.
extension Array: FieldValue where Element: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        guard case .array(let values) = value else { throw FieldFault(value, wanted: "an array") }
        do {
            self = try values.map { value throws(FieldFault) in try Element(value) }
        } catch {
            // The index is looked for only where there is something to tell.
            for (index, value) in values.enumerated() {
                do { _ = try Element(value) } catch { throw error.within("\(index)") }
            }
            throw error
        }
    }

    public func encoded() throws(FieldFault) -> Value {
        do {
            return .array(try map { element throws(FieldFault) in try element.encoded() })
        } catch {
            for (index, element) in enumerated() {
                do { _ = try element.encoded() } catch { throw error.within("\(index)") }
            }
            throw error
        }
    }
}

extension Dictionary: ModelFieldType where Key == String, Value: FieldValue {}

extension Dictionary: FieldValue where Key == String, Value: FieldValue {
    public init(_ value: ModelRecord.Value) throws(FieldFault) {
        guard case .map(let values) = value else { throw FieldFault(value, wanted: "a map") }
        self.init(minimumCapacity: values.count)
        do throws(FieldFault) {
            for (key, value) in values { self[key] = try Value(value) }
        } catch {
            // Dictionaries have no order, so the first fault by key is looked for: the same value always gives the same
            // error.
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                do { _ = try Value(value) } catch { throw error.within(key) }
            }
            throw error
        }
    }

    public func encoded() throws(FieldFault) -> ModelRecord.Value {
        var values: [String: ModelRecord.Value] = [:]
        values.reserveCapacity(count)
        for (key, value) in self {
            do { values[key] = try value.encoded() } catch { throw error.within(key) }
        }
        return .map(values)
    }
}
