import ModelCBOR

extension Fields {
    /// The pairs, in the order of the encoded names: shorter names first, then bytewise.
    /// - Complexity: O(*n*): decodes all pairs at each call, so read it once before a loop.
    public var pairs: [Pair] {
        if let nested { return nested }
        var pairs: [Pair] = []
        pairs.reserveCapacity(count)
        let bytes = encodedBytes
        var reader = CBORReader(bytes.span)
        for _ in 0..<count {
            let name = reader.skipValidText()
            pairs.append(Pair(field: reader.string(name), value: Fields.value(&reader)))
        }
        return pairs
    }

    /// The value given for `field`; setting nil removes the field.
    /// - Complexity: O(*n*)
    public subscript(field: String) -> Value? {
        get {
            if let nested {
                let position = Fields.position(of: field, in: nested)
                guard position.isFound else { return nil }
                return nested[position.index].value
            }
            let position = unsafe field.withUTF8Bytes { unsafe self.position(of: $0.span, before: encodedBytes.count) }
            guard position.isFound else { return nil }
            var reader = CBORReader(encodedBytes.span, at: position.value)
            return Fields.value(&reader)
        }
        set {
            guard nested == nil else { return setNested(field, newValue) }
            guard let newValue else { return remove(field) }
            let start = encodedBytes.count
            guard append(field, newValue) != nil else { return setNested(field, newValue) }
            settle(start)
        }
    }

    private mutating func remove(_ field: String) {
        let position = unsafe field.withUTF8Bytes { unsafe self.position(of: $0.span, before: encodedBytes.count) }
        guard position.isFound else { return }
        encodedBytes.removeSubrange(position.start..<position.end)
        count -= 1
    }

    /// Sets or removes a field in the list of decoded pairs, in which the fields are kept from then on.
    mutating func setNested(_ field: String, _ value: Value?) {
        var all = nested ?? pairs
        let position = Fields.position(of: field, in: all)
        switch (value, position.isFound) {
        case (let value?, true): all[position.index] = Pair(field: field, value: value)
        case (let value?, false): all.insert(Pair(field: field, value: value), at: position.index)
        case (nil, true): all.remove(at: position.index)
        case (nil, false): break
        }
        count = all.count
        encodedBytes = []
        nested = all
    }

    private static func position(of field: String, in pairs: [Pair]) -> (index: Int, isFound: Bool) {
        let index = pairs.firstIndex { !precedes($0.field, field) } ?? pairs.endIndex
        return (index, index < pairs.endIndex && pairs[index].field.utf8.elementsEqual(field.utf8))
    }

    private static func value(_ reader: inout CBORReader) -> Value {
        do {
            return try Value(reading: &reader)
        } catch {
            preconditionFailure("fields hold what they have encoded themselves: \(error)")
        }
    }
}

extension Fields: CustomStringConvertible {
    /// Names and values, for logs and debuggers.
    public var description: String {
        "[\(pairs.map { "\($0.field): \($0.value)" }.joined(separator: ", "))]"
    }
}
