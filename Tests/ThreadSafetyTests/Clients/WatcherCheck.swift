import ModelCache

extension CommitLog {
    /// Up to so many changes may wait before any are folded.
    private static let foldMin = 4096

    /// Holds what an observer was told against the log.
    ///
    /// - The state at one commit comes first, as a whole; then each later commit that changes anything of interest, in
    ///   a set of its own, with all of its changes.
    /// - Sets are folded only where more wait than the bound; then, too, what was told last leads to the newest state.
    /// - Parameter isComplete: it was never ended, so it must have been told all.
    func check(_ told: [ToldSet], _ interest: Interest, isComplete: Bool) throws {
        let isOfInterest: (ModelKey) -> Bool = { interest.includes($0) }
        let initial = told.prefix { $0.isInitial }
        var known: [ModelKey: Contents] = [:]
        for entry in initial.flatMap(\.entries) {
            guard entry.old == nil, let new = entry.new, known.updateValue(new, forKey: entry.key) == nil else {
                throw Violation(rule: "an initial state tells of a model twice, or of none", events: ["\(entry)"])
            }
        }
        guard Set(initial.map(\.commitNumber)).count <= 1 else {
            throw Violation(rule: "an initial state of two commits", events: initial.map { "\($0.commitNumber)" })
        }
        let rest = told.dropFirst(initial.count)
        guard let start = initial.first?.commitNumber ?? beginning(rest) else {
            guard !isComplete || state(after: end, isOfInterest).isEmpty else {
                throw Violation(rule: "an observer was told nothing of what is there", events: ["\(interest)"])
            }
            return
        }
        // An observer that was ended may have been told a part of the state only.
        if !rest.isEmpty || isComplete, known != state(after: start, isOfInterest) {
            throw Violation(
                rule: "an initial state is not the state of commit \(start)",
                events: ["\(interest)", "told \(known)", "was \(state(after: start, isOfInterest))"])
        }
        var number = start
        for set in rest {
            try check(set, after: number, &known, isOfInterest)
            number = set.commitNumber
        }
        guard isComplete else { return }
        for later in changes[Int(number)...] where later.keys.contains(where: isOfInterest) {
            throw Violation(rule: "an observer was not told the last changes", events: ["\(interest)", "\(later)"])
        }
    }

    /// Without an initial state nothing was there: the commit before the first change that was told.
    private func beginning(_ told: ArraySlice<ToldSet>) -> UInt64? {
        guard let first = told.first else { return nil }
        return first.commitNumber == 0 ? nil : first.commitNumber - 1
    }

    private func check(
        _ set: ToldSet, after last: UInt64, _ known: inout [ModelKey: Contents], _ isOfInterest: (ModelKey) -> Bool
    ) throws {
        let number = set.commitNumber
        guard !set.isInitial, number > last, number <= end else {
            throw Violation(rule: "a set out of order", events: ["commit \(number) after \(last)"])
        }
        var expected: [ModelKey: Contents?] = [:]
        var commits = 0
        for index in Int(last)..<Int(number) {
            let visible = changes[index].filter { isOfInterest($0.key) }
            commits += visible.isEmpty ? 0 : 1
            expected.merge(visible) { $1 }
        }
        let waiting = changeCounts[Int(number) - 1] - (last == 0 ? 0 : changeCounts[Int(last) - 1])
        guard commits == 1 || waiting > CommitLog.foldMin else {
            throw Violation(
                rule: "changes were left out or folded below the bound",
                events: ["commit \(number) after \(last): \(commits) commits, \(waiting) changes"])
        }
        for entry in set.entries {
            guard isOfInterest(entry.key), let wanted = expected.removeValue(forKey: entry.key) else {
                throw Violation(rule: "told twice, or of no change", events: ["commit \(number)", "\(entry)"])
            }
            guard entry.old == known[entry.key], entry.new == wanted else {
                throw Violation(
                    rule: "a change does not lead from what was told to what is",
                    events: [
                        "commit \(number)", "\(entry)", "told before \(ModelStep.text(known[entry.key]))",
                        "is \(ModelStep.text(wanted))",
                    ])
            }
            let differing = Set((entry.old ?? [:]).keys).union((entry.new ?? [:]).keys)
                .filter { (entry.old ?? [:])[$0] != (entry.new ?? [:])[$0] }
            guard entry.isFolded ? entry.fields.isSuperset(of: differing) : entry.fields == differing else {
                throw Violation(rule: "the changed fields are not those that differ", events: ["\(entry)"])
            }
            known[entry.key] = entry.new
        }
        // A fold leaves out what came and went again.
        for (key, contents) in expected where contents != known[key] {
            throw Violation(
                rule: "a change was left out", events: ["commit \(number): \(key) \(ModelStep.text(contents))"])
        }
        guard commits != 1 || expected.isEmpty else {
            throw Violation(rule: "a part of a commit was left out", events: ["commit \(number): \(expected)"])
        }
    }
}

extension Interest {
    func includes(_ key: ModelKey) -> Bool {
        switch self {
        case .model(let type, let id): key.type == type && key.id == id
        case .type(let type): key.type == type
        case .everything: true
        }
    }
}
