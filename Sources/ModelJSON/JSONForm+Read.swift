import Foundation
import ModelRecord

extension JSONForm {
    /// The value that stands in JSON, where values without a JSON form of their own have those of ``JSONWriter``.
    ///
    /// Times, UUIDs and URIs are numbers and texts there, and nobody can tell them from others.
    /// - Throws: `JSONError` for an object with the key of such a form that is none.
    static func read(_ value: Value, _ hasLargeIntegersAsText: Bool) throws(JSONError) -> Value {
        switch value {
        case .text(let text) where hasLargeIntegersAsText:
            guard let number = Int64(text), number.magnitude > 1 << 53, number.description == text else { return value }
            return .int(number)
        case .array(let elements):
            var read: [Value] = []
            for element in elements { read.append(try self.read(element, hasLargeIntegersAsText)) }
            return .array(read)
        case .map(let members):
            if let special = try special(members) { return special }
            var read: [String: Value] = [:]
            for (key, member) in members { read[key] = try self.read(member, hasLargeIntegersAsText) }
            return .map(read)
        default: return value
        }
    }

    private static func special(_ members: [String: Value]) throws(JSONError) -> Value? {
        switch (members.count, members["$bytes"], members["$double"]) {
        case (1, .text(let text)?, _):
            guard let bytes = Data(base64Encoded: text) else { throw JSONError("$bytes is no base64") }
            return .bytes(Array(bytes))
        case (1, _, .text(let text)?):
            guard let number = ["nan": Double.nan, "inf": .infinity, "-inf": -.infinity][text] else {
                throw JSONError("$double is nan, inf or -inf")
            }
            return .double(number)
        case (_, nil, nil): return nil
        default: throw JSONError("an object with the key $bytes or $double has no other, and a text there")
        }
    }
}
