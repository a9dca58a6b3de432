/// The largest sizes that a sender makes and a receiver accepts (protocol article, section 8).
///
/// ```swift
/// let limits = WireLimits(frameByteCount: 256 * 1024)
/// ```
/// A limit that is given is brought into the range from 1 to the ceiling; that of a value is also brought to what fits
/// into a frame with all names around it. Both sides of a connection should agree: a frame past the receiver's limit is
/// dropped.
public struct WireLimits: Sendable, Hashable {
    /// The size of one message, in bytes.
    public let frameByteCount: Int
    /// The number of updates in one batch.
    public let updateCount: Int
    /// The number of fields of one update.
    public let fieldCount: Int
    /// The size of one encoded value, in bytes.
    public let valueByteCount: Int
    /// The depth to which arrays, maps and tags of one value may be nested.
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

    /// The most prefixes in one request.
    public static let prefixCountMax = 256

    /// An upper bound of what a message with one cell takes beside the value, so that any value fits, in a record too.
    private static let besideValueByteCount = 1024

    /// The limits where none are configured.
    public static let `default` = WireLimits()

    /// The greatest limits that can be set.
    public static let ceiling = WireLimits(
        frameByteCount: .max, updateCount: .max, fieldCount: .max, valueByteCount: .max, depth: .max)
}
