/// Holds what many clients have done and seen against what is promised.
///
/// - Every model is linearizable by itself: writes, point reads, snapshots, and outcomes that tell of a state.
/// - Snapshots are cuts through all writes of all models, at which a transaction is there as a whole or not at all.
/// - A replica shows what was written, type by type in its order, transactions as a whole, and never goes back.
/// - While it may lack writes that holds for each field by itself: merged is what comes.
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
        let cuts = history.replicaReads.filter { $0.seen.count > 1 && !$0.mayLack }
        try Placement(lanes, isLagging: true).check(cuts) { types.firstIndex(of: $0.type) ?? 0 }
    }

    private func check(_ key: ModelKey) throws {
        let timeline = try Timeline(history.writes) { $0 == key }
        try Placement([timeline], isLagging: false).check(HistoryCheck.only(key, history.reads)) { _ in 0 }
        let replicaReads = HistoryCheck.only(key, history.replicaReads)
        try Placement([timeline], isLagging: true).check(replicaReads.filter { !$0.mayLack }) { _ in 0 }
        // Of those that lack nothing it follows.
        if replicaReads.contains(where: \.mayLack) { try checkParts(key, timeline, replicaReads) }
    }

    /// Each field by itself, and whether the model exists, follows the writes.
    private func checkParts(_ key: ModelKey, _ timeline: Timeline, _ reads: [ReadEvent]) throws {
        let written = timeline.writes.flatMap(\.steps).filter { $0.key == key }.flatMap(\.fields.keys)
        let seen = reads.flatMap { $0.seen[key]?.fieldNames ?? [] }
        let fields = Set(written + seen).sorted()
        try check(key, timeline, reads, only: \.existence)
        for field in fields { try check(key, timeline, reads) { $0[field: field] } }
    }

    private func check(
        _ key: ModelKey, _ timeline: Timeline, _ reads: [ReadEvent], only part: (Sighting) -> Sighting?
    ) throws {
        let parts = reads.compactMap { read in read.seen[key].flatMap(part).map { read.seeing([key: $0]) } }
        try Placement([timeline], isLagging: true).check(parts) { _ in 0 }
    }

    /// What the reads saw of one model.
    private static func only(_ key: ModelKey, _ reads: [ReadEvent]) -> [ReadEvent] {
        reads.compactMap { read in read.seen[key].map { read.seeing([key: $0]) } }
    }
}
