/// How a store works.
public struct StoreConfiguration: Sendable, Hashable {
    /// When the file is checked at opening, which reads all of it.
    public enum Check: Sendable, Hashable {
        case never
        /// When the last process did not close it.
        case afterCrash
        case always
    }

    /// When the structure of the file is checked at opening: about half a second for a million models. The checksums
    /// of rows are checked where they are read in any case.
    public var check: Check
    /// How much memory SQLite may use to keep pages of the file.
    public var pageCacheByteCount: Int
    /// The write-ahead log is moved into the file when it has grown to this size. One transaction may make it larger,
    /// until the next.
    public var logByteCount: Int

    public init(
        check: Check = .always, pageCacheByteCount: Int = 64 << 20, logByteCount: Int = 4 << 20
    ) {
        self.check = check
        self.pageCacheByteCount = pageCacheByteCount
        self.logByteCount = logByteCount
    }
}
