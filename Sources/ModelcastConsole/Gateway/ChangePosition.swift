/// A place in the changes of a copy, as the id of an event has it: `EPOCH-COMMIT` behind a commit, and
/// `EPOCH-COMMIT-POSITION-TYPE` behind one change in it. `EPOCH-none` stands in a state that is being told.
///
/// The epoch is that of a run of the process, and of what was asked for, by whom. With other conditions or other rights
/// a reader that went on would lack what it was not told before.
struct ChangePosition: Equatable {
    /// The commit.
    var commitNumber: UInt64
    /// The type of the last change that was told of the commit, and its position among those; nil where all were.
    var last: Last?

    /// A change in a commit.
    struct Last: Equatable {
        var type: String
        var position: Int
    }

    /// The end of the id of an event behind which nothing can go on.
    static let none = "none"

    /// - Returns: nil for a text that is no position of this epoch.
    init?(_ text: String, epoch: String) {
        let parts = text.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 4, parts[0] == epoch, let commit = UInt64(parts[1]) else { return nil }
        commitNumber = commit
        guard parts.count == 4 else { return }
        guard let position = Int(parts[2]), position >= 0 else { return nil }
        last = Last(type: String(parts[3]), position: position)
    }
}
