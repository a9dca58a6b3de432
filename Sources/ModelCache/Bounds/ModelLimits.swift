/// How many models of a type, or of all types together, a copy keeps in memory.
///
/// ```swift
/// configuration.modelLimits.types["User"] = ModelLimits(count: 100_000, bytes: 1 << 30, idle: .seconds(3600))
/// ```
/// Each limit may be nil, which is none. What exceeds one is evicted: it leaves this copy, and exists elsewhere as
/// before. The models that have been used least lately go first.
public struct ModelLimits: Hashable, Sendable {
    /// The greatest number of models.
    public var count: Int?
    /// The greatest size of all models together, in bytes of memory: what their records take, and
    /// ``overheadByteCount`` for each.
    public var bytes: Int?
    /// How long a model may be neither read nor changed. One that is leaves this copy before half as long again has
    /// passed.
    public var idle: Duration?

    /// The memory of a model beside the bytes of its record: the head of the object and its slot.
    public static let overheadByteCount = 48

    /// Limits; nil for none.
    public init(count: Int? = nil, bytes: Int? = nil, idle: Duration? = nil) {
        self.count = count
        self.bytes = bytes
        self.idle = idle
    }

    /// Nothing is limited.
    public var isEmpty: Bool { count == nil && bytes == nil && idle == nil }

    /// A text that says what is wrong with the limits, and what would do; nil where nothing is.
    var problem: String? {
        if isEmpty { return "has no limit at all; give it a count, bytes or an idle time, or leave it out" }
        if let count, count < 1 { return "is limited to \(count) models; at least 1 has to fit" }
        if let bytes, bytes < ModelLimits.byteCountMin {
            return "is limited to \(bytes) bytes; at least \(ModelLimits.byteCountMin) are needed for one model"
        }
        if let idle, idle < ModelLimits.idleMin {
            return "may be idle for \(idle) only; one second is the least"
        }
        return nil
    }

    private static let byteCountMin = 1_024
    private static let idleMin = Duration.seconds(1)
}
