import ModelCBOR

/// An update that was left out while the rest of its batch was accepted (protocol article, section 8).
public struct RefusedUpdate: Sendable, Hashable, CustomStringConvertible {
    /// Why an update is refused on its own. An open set: more may be added.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The name used in logs and counters.
        public let description: String

        init(_ description: String) { self.description = description }

        /// The id is empty, longer than 255 bytes, or contains NUL.
        public static let id = Reason("bad-id")
        /// A field's name is empty, longer than 128 bytes, or not text.
        public static let field = Reason("bad-field-name")
        /// More fields than the limit.
        public static let fieldCount = Reason("too-many-fields")
        /// A value that takes more bytes than the limit.
        public static let valueSize = Reason("value-too-large")
        /// A value nested past the limit.
        public static let depth = Reason("too-deep")
        /// An integer outside 64 signed bits.
        public static let integerRange = Reason("integer-range")
        /// An item that is no value: a map with keys other than text, or a simple value without a meaning.
        public static let value = Reason("not-a-value")
        /// A delete that carries fields.
        public static let deleteWithFields = Reason("delete-with-fields")
    }

    /// The position of the update in its batch, as it was sent.
    public let index: Int
    /// Why the update is left out.
    public let reason: Reason

    /// An update that was left out, by its position in the batch.
    public init(index: Int, reason: Reason) {
        self.index = index
        self.reason = reason
    }

    public var description: String { "update \(index): \(reason)" }
}

/// The fault of one update.
enum UpdateFault: Error {
    /// The frame cannot be used at all.
    case frame(WireError)
    /// This update cannot be used.
    case update(RefusedUpdate.Reason)

    /// The fault of a field's value.
    init(value error: CBORError) {
        if error.code.isMalformed {
            self = .frame(WireError(error))
        } else {
            switch error.code {
            case .tooDeep: self = .update(.depth)
            case .integerRange: self = .update(.integerRange)
            default: self = .update(.value)
            }
        }
    }

    /// The fault of anything but a value: the frame cannot be used.
    init(shape error: CBORError) { self = .frame(WireError(error)) }
}
