/// How a store works.
public struct StoreConfiguration: Sendable, Hashable {
    /// When the file is checked at opening, which reads all of it.
    public enum Check: Sendable, Hashable {
        case never
        /// When the last process did not close it.
        case afterCrash
        case always
    }

    /// When the file is checked at opening. Damage that no check has looked for is found where it is read.
    public var check: Check
    /// How much memory SQLite may use to keep pages of the file.
    public var pageCacheByteCount: Int
    /// The write-ahead log is moved into the file when it has grown to this size.
    public var logByteCount: Int

    public init(
        check: Check = .afterCrash, pageCacheByteCount: Int = 64 << 20, logByteCount: Int = 32 << 20
    ) {
        self.check = check
        self.pageCacheByteCount = pageCacheByteCount
        self.logByteCount = logByteCount
    }
}
