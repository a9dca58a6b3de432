/// The greatest sizes that a sender makes and a receiver accepts (protocol article, section 8).
///
/// ```swift
/// let limits = WireLimits(frameByteCount: 256 * 1024)
/// ```
/// What is not given has its default; what is given is brought into the range from 1 to the ceiling, and a value to
/// what fits into a frame with all names around it.
/// Both sides of a connection should agree: a frame past the receiver's limit is dropped.
public struct WireLimits: Sendable, Hashable {
    /// The size of one message.
    public let frameByteCount: Int
    /// The updates in one batch.
    public let updateCount: Int
    /// The fields of one update.
    public let fieldCount: Int
    /// The size of one encoded value.
    public let valueByteCount: Int
    /// How deep arrays, maps and tags of one value may be nested.
    public let depth: Int

    /// Limits, each brought into the range from 1 to the ceiling.
    public init(
        frameByteCount: Int = 1 << 20, updateCount: Int = 4096, fieldCount: Int = 1024,
        valueByteCount: Int = 256 << 10, depth: Int = 16
    ) {
        self.frameByteCount = min(max(frameByteCount, 1), 16 << 20)
        self.updateCount = min(max(updateCount, 1), 65_535)
        self.fieldCount = min(max(fieldCount, 1), 4096)
        let room = max(self.frameByteCount - WireLimits.besideValueByteCount, self.frameByteCount / 2, 1)
        self.valueByteCount = min(max(valueByteCount, 1), 8 << 20, room)
        self.depth = min(max(depth, 1), 64)
    }

    /// The prefixes of one request.
    public static let prefixCountMax = 256

    /// More than a message takes that carries one cell, beside its value: so that any value fits, also in a record.
    private static let besideValueByteCount = 1024

    /// What applies where nothing is configured.
    public static let `default` = WireLimits()

    /// No limit can be set higher than these.
    public static let ceiling = WireLimits(
        frameByteCount: .max, updateCount: .max, fieldCount: .max, valueByteCount: .max, depth: .max)
}
