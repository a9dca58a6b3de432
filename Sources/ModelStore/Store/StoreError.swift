import GRDB

/// Why the store could not do what it was asked for, and what to do about it.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The directory of the file does not exist.
        public static let directoryMissing = Code(description: "directory missing")
        /// The file or its directory may not be written, or is no file.
        public static let notWritable = Code(description: "not writable")
        /// Another process, or another store of this one, has the file.
        public static let inUse = Code(description: "in use")
        /// A newer Modelcast has written the file.
        public static let newerSchema = Code(description: "newer schema")
        /// A file that some other program has made.
        public static let foreignFile = Code(description: "not a store")
        /// The file is damaged.
        public static let corrupt = Code(description: "corrupt")
        /// No room left on the volume.
        public static let diskFull = Code(description: "disk full")
        /// The file that this store writes to does not stand at its path any more.
        public static let detached = Code(description: "file gone")
        /// A new file has taken the place of a damaged or lost one and does not hold everything yet.
        public static let renewing = Code(description: "being written anew")
        /// The system could not read or write the file.
        public static let ioFailure = Code(description: "input/output failure")
        /// What was asked for is not done within the limit; it goes on.
        public static let timedOut = Code(description: "timed out")
        /// More waits for the disk than may.
        public static let overloaded = Code(description: "overloaded")
        /// The store has been closed.
        public static let closed = Code(description: "closed")
        /// SQLite refused for a reason that has no name here; see ``StoreError/sqliteCode``.
        public static let refused = Code(description: "refused")
    }

    /// What kind of failure it is.
    public let code: Code
    /// The file.
    public let path: String
    /// What was being done and what went wrong.
    public let detail: String
    /// SQLite's extended result code, where SQLite had a word in it.
    public let sqliteCode: Int32?

    package init(_ code: Code, path: String, _ detail: String, sqliteCode: Int32? = nil) {
        self.code = code
        self.path = path
        self.detail = detail
        self.sqliteCode = sqliteCode
    }

    /// What a person can do.
    public var advice: String {
        switch code {
        case .directoryMissing: "Make the directory, or name a path in one that exists."
        case .notWritable: "Let this user write the file and its directory, or name another path."
        case .inUse: "Stop the process that has it (fuser or lsof tells which), or give this one a file of its own."
        case .newerSchema: "Run the version of Modelcast that wrote it or a later one, or name another path."
        case .foreignFile: "Name another path; this file is left as it is."
        case .corrupt: "Open it again: it is set aside under another name and a new one is made."
        case .diskFull: "Free some space on the volume; nothing has to be restarted."
        case .detached:
            "Leave the files of a store alone while its process runs; it is written anew where nothing is in its place."
        case .renewing: "Wait; all that is in memory is being written to a new file."
        case .ioFailure: "Look at the system's log for trouble with the disk; what is in memory is not affected."
        case .timedOut: "Look at the disk's load; the work goes on."
        case .overloaded: "Wait for completions before handing over more, or allow more to wait."
        case .closed: "Open the store again."
        default: "Please report this together with the message."
        }
    }

    /// One line: the file, what happened and what to do.
    public var description: String {
        let number = sqliteCode.map { " (SQLite \($0))" } ?? ""
        return "\(path): \(code): \(detail)\(number). \(advice)"
    }
}

extension StoreError {
    /// What `error` means, which was thrown while `work` was done.
    init(_ error: any Error, path: String, while work: String) {
        if let known = error as? StoreError {
            self = known
        } else if let known = error as? DatabaseError {
            let detail = "\(work): \(known.message ?? "no message")"
            let number = known.extendedResultCode.rawValue
            self.init(StoreError.code(of: known), path: path, detail, sqliteCode: number)
        } else {
            self.init(.refused, path: path, "\(work): \(error)")
        }
    }

    private static func code(of error: DatabaseError) -> Code {
        switch error.resultCode {
        case .SQLITE_FULL: .diskFull
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
        case .SQLITE_BUSY, .SQLITE_LOCKED: .inUse
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH: .notWritable
        case .SQLITE_IOERR: .ioFailure
        default: .refused
        }
    }
}
