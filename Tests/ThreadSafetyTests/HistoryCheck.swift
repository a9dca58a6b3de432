/// Holds what many clients have done and seen against what is promised.
///
/// - Every model is linearizable by itself: writes, point reads, snapshots, and outcomes that tell of a state.
/// - Snapshots are cuts through all writes of all models, at which a transaction is there as a whole or not at all.
/// - A replica shows what was written, type by type in its order, transactions as a whole, and never goes back.
struct HistoryCheck {
    private let history: History

    init(_ history: History) { self.history = history }

    /// - Throws: ``Violation``
    func check() throws {
        for key in history.keys.sorted() { try check(key) }
        let whole = try Timeline(history.writes)
        try Placement([whole], isLagging: false).check(history.reads.filter { $0.seen.count > 1 }) { _ in 0 }
        let types = Set(history.keys.map(\.type)).sorted()
        let lanes = try types.map { type in try Timeline(history.writes) { $0.type == type } }
        try Placement(lanes, isLagging: true).check(history.replicaReads.filter { $0.seen.count > 1 }) { key in
            types.firstIndex(of: key.type) ?? 0
        }
    }

    private func check(_ key: ModelKey) throws {
        let timeline = try Timeline(history.writes) { $0 == key }
        try Placement([timeline], isLagging: false).check(HistoryCheck.only(key, history.reads)) { _ in 0 }
        try Placement([timeline], isLagging: true).check(HistoryCheck.only(key, history.replicaReads)) { _ in 0 }
    }

    /// What the reads saw of one model.
    private static func only(_ key: ModelKey, _ reads: [ReadEvent]) -> [ReadEvent] {
        reads.compactMap { read in
            read.seen[key].map {
                ReadEvent(client: read.client, interval: read.interval, call: read.call, seen: [key: $0])
            }
        }
    }
}
