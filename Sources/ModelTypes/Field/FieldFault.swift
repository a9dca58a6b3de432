public import ModelRecord

/// Why a value cannot be what a field of a Swift type holds, or cannot travel.
public struct FieldFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. New codes may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Null, where there must be something.
        public static let null = Code(rawValue: "null")
        /// A value of another kind: text where a number is wanted.
        public static let kind = Code(rawValue: "kind")
        /// A number that the type cannot hold.
        public static let range = Code(rawValue: "range")
        /// Of the right kind, but no such thing: text that is no URL, a raw value without a case.
        public static let form = Code(rawValue: "form")
        /// Another value than before of a field that is constant.
        public static let constant = Code(rawValue: "constant")
        /// A group of fields, some of which are unknown.
        public static let incomplete = Code(rawValue: "incomplete")
        /// A value of the type that a validation does not take.
        public static let invalid = Code(rawValue: "invalid")
    }

    /// What kind of fault it is.
    public let code: Code
    /// What was wanted, for a reader.
    public let wanted: String
    /// What was there instead.
    public let value: Value

    public init(_ code: Code, wanted: String, value: Value) {
        (self.code, self.wanted, self.value) = (code, wanted, value)
    }

    /// The fault of a value that is not of the wanted kind.
    public init(_ value: Value, wanted: String) {
        self.init(value.isNull ? .null : .kind, wanted: wanted, value: value)
    }

    public var description: String { "\(value) is not \(wanted)" }
}
