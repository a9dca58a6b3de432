import ModelCBOR
public import ModelRecord

/// Why a frame is not accepted, or why something cannot be put into one.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault. An open set: more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name used in logs and counters.
        public let description: String

        init(_ description: String) { self.description = description }

        /// Not well-formed CBOR, or not of the shape that the protocol gives the frame.
        public static let malformed = Code("malformed")
        /// A size, a count or the nesting is past its limit.
        public static let limit = Code("limit")
        /// The name of a type, id, field or origin breaks the rules for names.
        public static let name = Code("name")
        /// A value that has no place in the protocol, such as an encoded item that is broken.
        public static let value = Code("value")
    }

    /// The kind of fault.
    public let code: Code
    /// The fault and its place, as text for people.
    public let reason: String
    /// The offset in bytes from the start of the frame; nil when the error is about encoding.
    public let offset: Int?

    /// Makes an error, also for a refusal above the wire that protects the wire.
    public init(_ code: Code, _ reason: String, at offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }

    init(_ error: CBORError) {
        switch error.code {
        case .limit, .tooDeep: code = .limit
        default: code = .malformed
        }
        reason = error.code.description
        offset = error.offset
    }

    /// The error of a name that the wire cannot carry.
    public init(_ error: NameError) { self.init(.name, error.description) }

    /// True when the bytes cannot be trusted at all; false when they are well-formed, but not acceptable.
    public var isMalformed: Bool { code == .malformed }

    public var description: String {
        guard let offset else { return "\(code): \(reason)" }
        return "\(code): \(reason) at byte \(offset)"
    }
}
