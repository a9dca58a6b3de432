/// Clients that were not let in, for one reason.
public struct RefusedClients: Hashable, Sendable {
    /// The reason in words.
    public let reason: String
    /// The key of the last one, where it has shown one.
    public var key: String?
    /// How many they were.
    public var count: UInt64

    /// Clients that were refused for a reason.
    public init(reason: String, key: String?, count: UInt64) {
        (self.reason, self.key, self.count) = (reason, key, count)
    }
}
