import ModelRecord
import ModelReference

/// One update of a commit, or the end of all that is known of a model.
struct LoggedUpdate: Sendable {
    let key: ModelKey
    /// Nil: the model is taken out, its tombstone included.
    let operation: UpdateOperation?
    let fields: Contents
    let version: Version
}

/// A commit with the number that it was given.
struct LoggedCommit: Sendable {
    let number: UInt64
    let updates: [LoggedUpdate]
}

/// All commits of a cache, in their order, replayed without it.
struct CommitLog {
    /// What readers could tell, by the number of the commit less one.
    private(set) var changes: [[ModelKey: Contents?]] = []
    /// How many changes there are up to each commit, itself included.
    private(set) var changeCounts: [Int] = []

    /// - Parameter commits: in any order.
    /// - Throws: ``Violation`` where a number is missing or there twice.
    init(_ commits: [LoggedCommit]) throws {
        var models: [ModelKey: HistoryModel] = [:]
        var count = 0
        for (index, commit) in commits.sorted(by: { $0.number < $1.number }).enumerated() {
            guard commit.number == UInt64(index + 1) else {
                throw Violation(
                    rule: "commit numbers rise by one", events: ["number \(commit.number) is the \(index + 1)th"])
            }
            var old: [ModelKey: Contents?] = [:]
            for update in commit.updates {
                if old[update.key] == nil { old[update.key] = .some(models[update.key]?.visible) }
                if let operation = update.operation {
                    models[update.key, default: HistoryModel()]
                        .apply(ReferenceOperation(operation), update.fields, at: update.version)
                } else {
                    models[update.key] = nil
                }
            }
            var visible: [ModelKey: Contents?] = [:]
            for (key, before) in old where models[key]?.visible != before {
                visible[key] = .some(models[key]?.visible)
            }
            count += visible.count
            changes.append(visible)
            changeCounts.append(count)
        }
    }

    /// The number of the last commit.
    var end: UInt64 { UInt64(changes.count) }

    /// Holds snapshots against the state after the commit that each says it shows.
    func check(_ snapshots: [SeenSnapshot]) throws {
        var state: [ModelKey: Contents] = [:]
        var next = 0
        for snapshot in snapshots.sorted(by: { $0.commitNumber < $1.commitNumber }) {
            guard snapshot.commitNumber <= end else {
                throw Violation(rule: "a snapshot of a commit that nobody made", events: ["\(snapshot.commitNumber)"])
            }
            while next < Int(snapshot.commitNumber) {
                for (key, contents) in changes[next] { state[key] = contents }
                next += 1
            }
            guard snapshot.models != state else { continue }
            let different = Set(state.keys).union(snapshot.models.keys).sorted()
                .filter { state[$0] != snapshot.models[$0] }
            throw Violation(
                rule: "the snapshot of commit \(snapshot.commitNumber) is not what the log leads to",
                events: different.map { key in
                    let last =
                        changes.prefix(next).lastIndex { $0[key] != nil }.map { "commit \($0 + 1)" } ?? "no commit"
                    return "\(key) is \(ModelStep.text(snapshot.models[key])), and since \(last) "
                        + "\(ModelStep.text(state[key]))"
                })
        }
    }

    /// The state after a commit, of the models that are of interest.
    func state(after number: UInt64, _ isOfInterest: (ModelKey) -> Bool) -> [ModelKey: Contents] {
        var state: [ModelKey: Contents] = [:]
        for visible in changes.prefix(Int(number)) {
            for (key, contents) in visible where isOfInterest(key) { state[key] = contents }
        }
        return state
    }
}

/// All models of a snapshot.
struct SeenSnapshot: Sendable {
    let commitNumber: UInt64
    let models: [ModelKey: Contents]
}
