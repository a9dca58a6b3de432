/// Why some bytes are not an acceptable CBOR item.
public struct CBORError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A kind of fault. An open set: more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name used in logs and counters.
        public let description: String
        /// True when the bytes are not well-formed CBOR at all, so that nothing behind them can be trusted;
        /// false when the item is well-formed but outside what Modelcast accepts.
        public let isMalformed: Bool

        init(_ description: String, isMalformed: Bool) {
            self.description = description
            self.isMalformed = isMalformed
        }

        /// The bytes end inside an item.
        public static let truncated = Code("truncated", isMalformed: true)
        /// Reserved additional information, a stray break, or a reserved simple value.
        public static let reserved = Code("reserved", isMalformed: true)
        /// Bytes follow the item.
        public static let trailingBytes = Code("trailing-bytes", isMalformed: true)
        /// Text that is not UTF-8.
        public static let invalidUTF8 = Code("invalid-utf8", isMalformed: true)
        /// A map holds one key twice.
        public static let duplicateKey = Code("duplicate-key", isMalformed: true)
        /// Arrays, maps and tags are nested past the limit.
        public static let tooDeep = Code("too-deep", isMalformed: false)
        /// An integer outside the signed 64-bit range.
        public static let integerRange = Code("integer-range", isMalformed: false)
        /// Another type of item stands where a certain one is required.
        public static let unexpectedType = Code("unexpected-type", isMalformed: false)
        /// A length, count or size is past its limit.
        public static let limit = Code("limit", isMalformed: false)
    }

    /// The kind of fault.
    public let code: Code
    /// The offset of the fault, in bytes from the start of the input.
    public let offset: Int

    /// Makes an error; for readers built on this one.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    public var description: String { "\(code) at byte \(offset)" }
}
