import GRDB
import ModelRecord

/// Why a call of the store failed, and what to do about it.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure. Later versions may add some.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind, for messages.
        public let description: String

        /// The directory of the file does not exist.
        public static let directoryMissing = Code(description: "directory missing")
        /// The file or its directory cannot be written, or the path does not name a file.
        public static let notWritable = Code(description: "not writable")
        /// Another process, or another store of this process, has the file.
        public static let inUse = Code(description: "in use")
        /// A newer version of Modelcast has written the file.
        public static let newerSchema = Code(description: "newer schema")
        /// Another program has made the file.
        public static let foreignFile = Code(description: "not a store")
        /// The file is the store of another service.
        public static let otherOwner = Code(description: "store of another")
        /// The file is damaged.
        public static let corrupt = Code(description: "corrupt")
        /// The volume is full.
        public static let diskFull = Code(description: "disk full")
        /// The open file is no longer the one at its path.
        public static let detached = Code(description: "file gone")
        /// A new file has taken the place of a damaged or lost one, and does not hold everything yet.
        public static let renewing = Code(description: "being written anew")
        /// The system could not read or write the file.
        public static let ioFailure = Code(description: "input/output failure")
        /// The work has not ended within the limit. It goes on.
        public static let timedOut = Code(description: "timed out")
        /// Too many bytes of commits wait for the disk.
        public static let overloaded = Code(description: "overloaded")
        /// The store has been closed.
        public static let closed = Code(description: "closed")
        /// SQLite refused for a reason that has no kind of its own; see ``StoreError/sqliteCode``.
        public static let refused = Code(description: "refused")
    }

    /// The kind of failure.
    public let code: Code
    /// The path of the store.
    public let path: String
    /// The operation and its failure, in words for a person.
    public let detail: String
    /// SQLite's extended result code, where SQLite reported the failure.
    public let sqliteCode: Int32?

    package init(_ code: Code, path: String, _ detail: String, sqliteCode: Int32? = nil) {
        self.code = code
        self.path = path
        self.detail = detail
        self.sqliteCode = sqliteCode
    }

    /// The remedy that an operator or user has.
    public var advice: String {
        switch code {
        case .directoryMissing: "Make the directory, or name a path in one that exists."
        case .notWritable: "Let this user write the file and its directory, or name another path."
        case .inUse: "Stop the process that has it (fuser or lsof tells which), or give this one a file of its own."
        case .newerSchema: "Run the version of Modelcast that wrote it or a later one, or name another path."
        case .foreignFile, .otherOwner: "Name another path; this file is left as it is."
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
    /// The store error that stands for `error`, which was thrown during `work`.
    init(_ error: any Error, path: String, while work: String) {
        if let known = error as? StoreError {
            self = known
        } else if let known = error as? DatabaseError {
            // The message may quote what a damaged file holds.
            let detail = "\(work): \((known.message ?? "no message").shown())"
            let number = known.extendedResultCode.rawValue
            self.init(StoreError.code(of: known), path: path, detail, sqliteCode: number)
        } else {
            let text = "\(error)".shown()
            self.init(.refused, path: path, "\(work): \(text)")
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
