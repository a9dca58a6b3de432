/// The changes of one commit, or of several that were folded, in commit order; each model at most once.
///
/// The changes of one type stand together. Copies share their memory. The records live as long as a copy of the set or
/// a ``Change`` of it. For an observer of a single model, the set also keeps the changes that were told beside it on
/// the same queue.
public struct ChangeSet: Sendable {
    private let first: ChangeSection?
    /// The sections behind the first. Where there are any, the set has all of the first section.
    private let others: [ChangeSection]
    /// Where the changes begin in the first section.
    private let start: Int
    /// How many changes there are.
    public let count: Int
    /// These are not changes, but the state at the time of registration. A large state comes in several sets.
    public let isInitial: Bool
    /// The number of the last commit in the set; of an initial state, of the commit that it shows.
    public let commitNumber: UInt64

    /// All changes of several sections.
    init(_ sections: [ChangeSection], isInitial: Bool = false, commitNumber: UInt64) {
        first = sections.first
        others = sections.count > 1 ? Array(sections[1...]) : []
        start = 0
        count = sections.reduce(0) { $0 + $1.count }
        self.isInitial = isInitial
        self.commitNumber = commitNumber
    }

    /// All changes of a section.
    init(_ section: ChangeSection, isInitial: Bool = false, commitNumber: UInt64) {
        first = section
        others = []
        start = 0
        count = section.count
        self.isInitial = isInitial
        self.commitNumber = commitNumber
    }

    /// One change of a section.
    init(_ section: ChangeSection, at position: Int) {
        first = section
        others = []
        start = position
        count = 1
        isInitial = false
        commitNumber = section.commitNumber(at: position)
    }

    /// Several commits were folded into the set, which then is no step of its own. Not said of the changes of a single
    /// model, which are steps of it whatever was folded.
    package var isFolded: Bool { !isInitial && first.map { $0.commitNumber(at: start) == 0 } ?? false }

    /// The parts of the set, one for each type, with the positions of its changes in it. Where a set is of one commit
    /// its parts are shared with the sets of all other observers of that commit.
    package var sections: [(section: ChangeSection, positions: Range<Int>)] {
        guard let first else { return [] }
        let end = others.isEmpty ? start + count : first.count
        return [(first, start..<end)] + others.map { ($0, 0..<$0.count) }
    }

    /// Calls `body` with each change and its type.
    func forEachEntry(_ body: (_ type: String, ChangeEntry) -> Void) {
        guard let first else { return }
        for position in start..<(others.isEmpty ? start + count : first.count) {
            body(first.type, first.entry(at: position))
        }
        for section in others {
            for position in 0..<section.count { body(section.type, section.entry(at: position)) }
        }
    }
}

extension ChangeSet: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// Equal to `count`.
    public var endIndex: Int { count }

    /// The change at `position`.
    /// - Complexity: O(*types in the set*)
    public subscript(position: Int) -> Change {
        precondition(position >= 0 && position < count, "no change \(position) in a set of \(count)")
        guard let first else { preconditionFailure("a set that is not empty has a section") }
        var offset = start + position
        if others.isEmpty || offset < first.count { return change(first, offset) }
        offset -= first.count
        for section in others {
            if offset < section.count { return change(section, offset) }
            offset -= section.count
        }
        preconditionFailure("the sections of a change set add up to its count")
    }

    private func change(_ section: ChangeSection, _ position: Int) -> Change {
        Change(section, at: position, isInitial: isInitial)
    }
}
