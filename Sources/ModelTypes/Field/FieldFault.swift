public import ModelRecord

/// Why a field's value cannot be read as a Swift type, or a Swift value cannot be published.
public struct FieldFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault. New codes may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String
        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Null for a type that has no nil.
        public static let null = Code(rawValue: "null")
        /// A value of another kind, such as text where a number is wanted.
        public static let kind = Code(rawValue: "kind")
        /// A number that the type cannot hold.
        public static let range = Code(rawValue: "range")
        /// A value of the right kind in a wrong form: text that is no URL, a raw value without a case.
        public static let form = Code(rawValue: "form")
        /// A constant field that has another value than before.
        public static let constant = Code(rawValue: "constant")
        /// A group of fields, some of which are unknown.
        public static let incomplete = Code(rawValue: "incomplete")
        /// A value of the right type that a validation does not accept.
        public static let invalid = Code(rawValue: "invalid")
    }

    /// The kind of fault.
    public let code: Code
    /// The wanted value, as text for people.
    public let wanted: String
    /// The value that was found instead.
    public let value: Value
    /// The way to what is at fault within a group or a value: names of fields, keys and indices with dots between them,
    /// such as `0.text`; empty where the fault is of the field itself.
    public let part: String

    /// A fault of the kind `code`.
    public init(_ code: Code, wanted: String, value: Value, part: String = "") {
        (self.code, self.wanted, self.value, self.part) = (code, wanted, value, part)
    }

    /// The fault of a value that is not of the wanted kind.
    public init(_ value: Value, wanted: String) {
        self.init(value.isNull ? .null : .kind, wanted: wanted, value: value)
    }

    /// The value and what was wanted, on one line and each shortened where it is long: `5 is not text`.
    public var description: String { words(wanted[...]) }

    /// The value and these words for what was wanted.
    func words(_ wanted: Substring) -> String {
        let wanted = String(wanted).shown(byteCountMax: 512)
        // No value was found, but a part is missing.
        return code == .incomplete ? "not \(wanted)" : "\(value.shown) is not \(wanted)"
    }
}
