import ModelCache
import ModelRecord

/// An observer that checks what it is told, as it is told.
final class Auditor: Sendable {
    private struct State {
        var models: [String: CellRecord] = [:]
        var faults: [String] = []
        var sets = 0
        var folded = 0
    }

    private let state = Guarded(State())

    /// What is wrong with what was told, if anything.
    var faults: [String] { state.withLock { $0.faults } }
    /// How many sets were told.
    var setCount: Int { state.withLock { $0.sets } }
    /// How many changes were folded ones.
    var foldedCount: Int { state.withLock { $0.folded } }
    /// The values of the models as they were told last, by type and id.
    var values: [String: [String: Value]] { state.withLock { $0.models.mapValues(\.values) } }

    func hear(_ set: ChangeSet) {
        state.withLock { state in
            state.sets += 1
            for change in set { Auditor.hear(change, &state) }
        }
    }

    private static func hear(_ change: Change, _ state: inout State) {
        let key = "\(change.type)/\(change.id)"
        let before = state.models[key]
        if change.isInitial {
            if before != nil { state.faults.append("\(key): its initial state was told twice") }
        } else if before?.values != change.old?.values {
            state.faults.append("\(key): a change was missed or doubled")
        }
        if change.isFolded {
            state.folded += 1
            let differing = Set(change.new?.changedFields(since: change.old) ?? [])
            if !differing.isSubset(of: change.changedFields) {
                state.faults.append("\(key): folded, and \(differing) are not all among \(change.changedFields)")
            }
        } else if change.changedFields.isEmpty, (change.old == nil) == (change.new == nil) {
            state.faults.append("\(key): told of nothing")
        }
        state.models[key] = change.new
    }
}
