/// The findings at the opening of a store.
public struct OpenReport: Hashable, Sendable, CustomStringConvertible {
    /// How the store got its file.
    public enum OpenResult: Hashable, Sendable {
        /// There was no file, or it was set aside: the store is empty.
        case created
        /// The file had the current schema.
        case opened
        /// The file of an older version was brought up to the current schema.
        case migrated(from: Int)
    }

    /// A damaged file that was kept under another name.
    public struct SetAside: Hashable, Sendable {
        /// The new path. The write-ahead log stands beside it.
        public var path: String
        /// The damage that was found; after ``Store/replace(because:)`` where it was found.
        public var reason: String
        /// All commits of a file that was set aside at the opening, as its mark tells them: nothing of such a file is
        /// in the new one. Nil where no mark could be read, and after ``Store/replace(because:)``, whose caller knows
        /// what could be read.
        public var lost: LostCommits?
    }

    /// The path of the store.
    public var path: String
    /// How the store got its file.
    public var result: OpenResult
    /// The damaged file that was set aside, if there was one. Its content must be fetched anew.
    public var setAside: SetAside?
    /// Files whose permissions for the group and others were removed, with the permissions before in octal digits.
    public var tightened: [String] = []
    /// False when the last process ended without closing the file.
    public var wasClosed: Bool
    /// The mark beside the file is missing or belongs to another file, so missing commits could not be detected.
    public var isUnmarked = false
    /// False when the last process ended between the parts of a flush that took several transactions. Every record is
    /// one that was applied, but half of a batch may be among them. What the heads say is contained is contained in any
    /// case.
    public var isWhole: Bool

    /// Nothing in the report needs an operator.
    public var isOrdinary: Bool { setAside == nil && tightened.isEmpty && !isUnmarked }

    /// One line for a log.
    public var description: String {
        let what =
            switch result {
            case .created: "created"
            case .opened: "opened"
            case .migrated(let version): "migrated from schema \(version)"
            }
        let crash = wasClosed ? "" : ", not closed before"
        let aside = setAside.map { "; a damaged file is kept as \($0.path): \($0.reason)" } ?? ""
        let rights =
            tightened.isEmpty
            ? "" : "; taken from everybody but the owner: \(tightened.joined(separator: ", "))"
        let mark = isUnmarked ? ", without its mark: whether commits are gone cannot be told" : ""
        return "\(path): \(what)\(crash)\(mark)\(aside)\(rights)"
    }
}
