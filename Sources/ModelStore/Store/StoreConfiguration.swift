/// The settings of a store.
public struct StoreConfiguration: Sendable, Hashable {
    /// When the structure of the file is checked at opening. The check reads all of the file.
    public enum Check: Sendable, Hashable {
        /// The structure is not checked.
        case never
        /// The structure is checked when the last process did not close the file.
        case afterCrash
        /// The structure is checked at each opening.
        case always
    }

    /// When the structure of the file is checked at opening: about half a second for a million models. The checksums
    /// of rows are checked where they are read in any case.
    public var check: Check
    /// The greatest size of SQLite's page cache, in bytes.
    public var pageCacheByteCount: Int
    /// The size in bytes at which the write-ahead log is moved into the file. One transaction may make the log larger,
    /// until the next one.
    public var logByteCount: Int

    /// Makes settings.
    public init(
        check: Check = .always, pageCacheByteCount: Int = 64 << 20, logByteCount: Int = 4 << 20
    ) {
        self.check = check
        self.pageCacheByteCount = pageCacheByteCount
        self.logByteCount = logByteCount
    }
}
