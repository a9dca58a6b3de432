/// The changes of one commit, or of several that were folded, in commit order; each model at most once.
///
/// The changes of one type stand together. Copies share their memory; the records in it stay alive as long as a copy.
public struct ChangeSet: Sendable {
    let sections: [ChangeSection]
    /// How many changes there are.
    public let count: Int
    /// These are no changes but what was there at the time of registration. Large states come in several sets.
    public let isInitial: Bool
    /// The number of the last commit that is in it; of an initial state, of the commit that it shows.
    public let commitNumber: UInt64

    init(sections: [ChangeSection], isInitial: Bool = false, commitNumber: UInt64) {
        self.sections = sections
        count = sections.reduce(0) { $0 + $1.entries.count }
        self.isInitial = isInitial
        self.commitNumber = commitNumber
    }
}

extension ChangeSet: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    /// The change at `position`.
    /// - Complexity: O(*types in it*)
    public subscript(position: Int) -> Change {
        precondition(position >= 0 && position < count, "no change \(position) in a set of \(count)")
        var offset = position
        for section in sections {
            if offset < section.entries.count {
                return Change(type: section.type, entry: section.entries[offset], isInitial: isInitial)
            }
            offset -= section.entries.count
        }
        preconditionFailure("the sections of a change set add up to its count")
    }
}
