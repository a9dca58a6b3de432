import ModelCache
import ModelRecord
import ModelSync

/// What survives a crash of a simulated process, by the contract of a database: a transaction is there whole or not at
/// all.
struct SimulatedDisk {
    /// When a process writes what it holds.
    enum Mode: String {
        /// Never: a restart begins empty.
        case none = "no disk"
        /// From time to time; a crash loses the tail.
        case writeBehind = "disk written behind"
        /// Before anything leaves the process.
        case beforeSend = "disk written before sending"
    }

    /// Everything that one transaction makes durable.
    private struct Transaction {
        var records: [ModelKey: Record]
        /// How many of the node's own updates are in it.
        var updateCount: Int
        var clock: Stamp
        var positions: [StreamPosition]
        var dueAt: UInt64
    }

    let mode: Mode
    private(set) var records: [ModelKey: Record] = [:]
    /// How many of the node's own updates are durable.
    private(set) var updateCount = 0
    /// The greatest stamp that is durable.
    private(set) var clock: Stamp = 0
    /// How far each stream had been applied that a replica or relay listens to.
    private(set) var positions: [StreamPosition] = []
    private var pending: Transaction?

    init(mode: Mode) { self.mode = mode }

    /// A transaction is on its way to the platter.
    var isWriting: Bool { pending != nil }

    /// Begins to write what has changed since the last time; it is durable at `dueAt`.
    mutating func begin(
        _ cache: ModelCache, updateCount: Int, clock: Stamp, positions: [StreamPosition], dueAt: UInt64
    ) {
        var changed: [ModelKey: Record] = [:]
        let snapshot = cache.snapshot()
        for type in snapshot.types {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                let key = ModelKey(type: type, id: record.id)
                if records[key]?.isIdentical(to: record) != true { changed[key] = record }
                return true
            }
        }
        pending = Transaction(
            records: changed, updateCount: updateCount, clock: clock, positions: positions, dueAt: dueAt)
    }

    /// What was due by `time` is durable.
    mutating func finish(at time: UInt64) {
        guard let transaction = pending, transaction.dueAt <= time else { return }
        pending = nil
        records.merge(transaction.records) { $1 }
        updateCount = max(updateCount, transaction.updateCount)
        clock = max(clock, transaction.clock)
        positions = transaction.positions
    }

    /// The process dies: a transaction that is not durable is gone as a whole.
    /// - Returns: true when there was one.
    mutating func crash() -> Bool {
        defer { pending = nil }
        return pending != nil
    }

    /// The disk itself is gone.
    mutating func erase() { self = SimulatedDisk(mode: mode) }

    /// A cache that holds what is durable.
    func restored() -> ModelCache {
        let cache = ModelCache()
        guard !records.isEmpty else { return cache }
        cache.commit { commit in
            // In one order always: a run may not depend on that of a dictionary.
            for key in records.keys.sorted(by: { ($0.type, $0.id) < ($1.type, $1.id) }) {
                if let record = records[key] { commit.join(record, type: key.type) }
            }
        }
        return cache
    }
}
