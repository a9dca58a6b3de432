import Foundation
package import ModelRecord

/// The kind of the ids of an input. On the wire each is a text, in one form.
package enum IDType: String, CaseIterable, Sendable {
    /// Texts, taken as they are.
    case text
    /// Integers, as numbers or as texts: in decimal digits, as integer ids of Swift are.
    case integer
    /// UUIDs in whatever letters: in capital ones, as UUIDs of Swift are.
    case uuid

    /// The id that a value stands for.
    /// - Parameter path: the field that has it.
    package func id(of value: Value, at path: String) throws(JSONError) -> String {
        switch (self, value) {
        case (.text, .text(let text)): return text
        case (.text, .int): throw JSONError("the id field \"\(path)\" is no text; --id-type integer takes numbers")
        case (.integer, .int(let number)): return String(number)
        case (.integer, .text(let text)):
            if let number = Int64(text) { return String(number) }
        case (.uuid, .text(let text)):
            if let uuid = UUID(uuidString: text) { return uuid.uuidString }
        default: break
        }
        let kind = self == .text ? "text" : self == .integer ? "integer of 64 bits" : "UUID"
        throw JSONError("the id field \"\(path)\" is no \(kind)")
    }
}
