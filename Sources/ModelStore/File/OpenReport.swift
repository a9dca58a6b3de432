/// What was found when a store was opened.
public struct OpenReport: Hashable, Sendable, CustomStringConvertible {
    /// What became of the file.
    public enum Outcome: Hashable, Sendable {
        /// There was none, or it was set aside: the store is empty.
        case created
        case opened
        /// An older version's file was brought up to this one's schema.
        case migrated(from: Int)
    }

    /// A damaged file that was kept under another name.
    public struct SetAside: Hashable, Sendable {
        /// Where it is now; its write-ahead log stands beside it.
        public var path: String
        public var reason: String
    }

    public var path: String
    public var outcome: Outcome
    /// The damaged file that stood in the way, if one did. What it held must be fetched anew.
    public var setAside: SetAside?
    /// Files that others could read or write, and cannot any more: what they could do, in octal digits.
    public var tightened: [String] = []
    /// False when the process that had it before was ended without closing it.
    public var wasClosed: Bool
    /// The mark beside the file is missing, or is another file's: whether commits are gone was not looked for.
    public var isUnmarked = false
    /// False when that happened between the parts of a flush too large for one transaction: every record is one that
    /// was applied, but half of a batch may be among them. What the heads say is contained is contained in any case.
    public var isWhole: Bool

    /// There is nothing that an operator should hear of.
    public var isOrdinary: Bool { setAside == nil && tightened.isEmpty && !isUnmarked }

    /// One line for a log.
    public var description: String {
        let what =
            switch outcome {
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
