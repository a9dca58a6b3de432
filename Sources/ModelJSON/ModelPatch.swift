package import ModelRecord

/// The change of a model that a JSON object stands for.
///
/// The model is seen as one JSON object, as it is written: nested, where fields have dotted names. What the object says
/// then has to be what is read afterwards. So an object takes the place of a value at its path, and any other value
/// that of the fields below it. A field whose value is a map stays one, and a value that is written as the object has
/// it stays what it is: a time, which is written as a number, becomes none.
package struct ModelPatch {
    /// The meaning of null.
    package enum Null {
        /// The field has the value null.
        case value
        /// The field is removed, as in a merge patch (RFC 7396).
        case removal
    }

    private let members: [String: Value]
    private let null: Null

    /// The change of an object with these members.
    /// - Parameter hasLargeIntegersAsText: texts of integers beyond 2^53 are integers, as they are written where that
    ///   is asked for.
    /// - Throws: `JSONError` for an object that looks like a value without a JSON form of its own, and is none.
    package init(
        _ members: [String: Value], null: Null, hasLargeIntegersAsText: Bool = false
    ) throws(JSONError) {
        var read: [String: Value] = [:]
        for (key, value) in members { read[key] = try JSONForm.read(value, hasLargeIntegersAsText) }
        (self.members, self.null) = (read, null)
    }

    /// The fields to merge into a model so that it becomes what the object says.
    package func fields(over record: CellRecord?) throws(JSONError) -> Fields {
        var change = Change(record, null)
        try change.merge(members, at: nil)
        return Fields(change.values)
    }

    /// The fields of a model of which the object says all.
    /// - Parameter record: the model before, which says where a map is a value.
    package func wholeFields(over record: CellRecord?) throws(JSONError) -> Fields {
        var whole = Change(record, .value)
        whole.isWhole = true
        try whole.merge(members, at: nil)
        return Fields(whole.values)
    }

    private struct Change {
        let null: Null
        /// The object says all of the model, so nothing of it has to be removed.
        var isWhole = false
        var values: [String: Value] = [:]
        /// The values of the model now.
        private let present: [String: Value]

        init(_ record: CellRecord?, _ null: Null) {
            self.null = null
            present = record?.values ?? [:]
        }

        mutating func merge(_ members: [String: Value], at path: String?) throws(JSONError) {
            for (key, given) in members {
                guard !key.isEmpty else { throw JSONError("a field has the empty name, which is reserved") }
                let member = path.map { "\($0).\(key)" } ?? key
                if let old = present[member], ModelPatch.isWritten(old, as: given) {
                    try set(old, at: member)
                    continue
                }
                guard case .map(let inner) = given else {
                    try set(given, at: member)
                    continue
                }
                guard inner["$tag"] == nil, inner["$cbor"] == nil else {
                    throw JSONError("a value with $tag and $cbor can be written as it was read, and no other")
                }
                if case .map(let old)? = present[member], !old.isEmpty || inner.isEmpty {
                    try add(.map(isWhole ? inner : ModelPatch.merged(old, inner, null)), at: member)
                } else if !inner.isEmpty {
                    if !isWhole, present[member] != nil { try add(.undefined, at: member) }
                    try merge(inner, at: member)
                } else if isWhole || below(member).isEmpty {
                    try add(.map([:]), at: member)
                }
            }
        }

        /// Sets a value that is no object.
        private mutating func set(_ value: Value, at path: String) throws(JSONError) {
            let isRemoval = value.isNull && null == .removal
            guard !isWhole else { return try add(value, at: path) }
            for field in below(path) { try add(.undefined, at: field) }
            if !isRemoval || present[path] != nil { try add(isRemoval ? .undefined : value, at: path) }
        }

        private func below(_ path: String) -> [String] {
            let prefix = "\(path)."
            return present.keys.filter { $0.utf8.starts(with: prefix.utf8) }
        }

        private mutating func add(_ value: Value, at path: String) throws(JSONError) {
            guard values.updateValue(value, forKey: path) == nil else {
                throw JSONError("the field \"\(path)\" is given twice, be it in two forms of Unicode")
            }
        }
    }

    /// The value is written like the given one, in whatever form was asked for.
    private static func isWritten(_ old: Value, as given: Value) -> Bool {
        switch (old, given) {
        case (_, .null): false
        case (.double(let number), .int(let integer)), (.timestamp(let number), .int(let integer)):
            number == Double(integer)
        case (.int(let number), .text(let text)): number.magnitude > 1 << 53 && text == number.description
        case (.array, _), (.map, _): old == given
        default: JSONWriter.text(of: old) == JSONWriter.text(of: given)
        }
    }

    /// The members of one map with those of another one in their place, and so on inside.
    private static func merged(_ old: [String: Value], _ new: [String: Value], _ null: Null) -> [String: Value] {
        var result = old
        for (key, value) in new {
            switch (value, result[key]) {
            case (.null, _) where null == .removal: result.removeValue(forKey: key)
            case (.map(let inner), .map(let outer)?): result[key] = .map(merged(outer, inner, null))
            case (.map(let inner), _): result[key] = .map(merged([:], inner, null))
            default: result[key] = value
            }
        }
        return result
    }
}
