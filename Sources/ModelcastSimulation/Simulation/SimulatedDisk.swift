@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// The durable state of a simulated process, which survives its crashes. As in a database, a transaction is durable
/// whole or not at all.
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
        var records: [ModelKey: CellRecord]
        /// Models that are on the disk and that the process has forgotten.
        var gone: Set<ModelKey>
        /// How many of the node's own updates are in it.
        var updateCount: Int
        var clock: Stamp
        var positions: [StreamPosition]
        var lastContact: UInt64?
        /// Origins of which nothing is kept but models.
        var forgotten: Set<String>
        /// How many pushed batches were durable and merged when the transaction began: its records say nothing of
        /// later ones.
        var pushCount: Int
        /// The last commit of the cache.
        var commitNumber: UInt64
        var dueAt: UInt64
    }

    /// A pushed batch that a relay has made durable before it acknowledged it.
    struct Push {
        let stream: ReplayRing.Stream
        let sequence: UInt64
        let payload: [UInt8]
        /// When it was made durable, by the process's wall clock.
        var writtenMilliseconds: UInt64 = 0
    }

    /// The name of a stream, under which its position is stored.
    private struct StreamName: Hashable {
        let origin: String
        let topic: Topic
    }

    let mode: Mode
    private(set) var records: [ModelKey: CellRecord] = [:]
    /// How many of the node's own updates are durable.
    private(set) var updateCount = 0
    /// The greatest stamp that is durable.
    private(set) var clock: Stamp = 0
    /// How far each stream was applied: of those that the replica or relay listens to, and those that were pushed to
    /// it.
    var positions: [StreamPosition] {
        positionByStream.values.sorted { $0.precedes($1) }
    }
    /// When the process was last in contact with its senders, by the last durable transaction, in milliseconds of the
    /// wall clock.
    private(set) var lastContact: UInt64?
    /// Pushed batches that may not be in ``records``, or are to be replayed after a restart, in the order in which they
    /// were stored.
    private(set) var pushes: [Push] = []
    /// How many of ``pushes`` the process has merged in this life, or found at its start.
    private var mergedCount = 0
    private var positionByStream: [StreamName: StreamPosition] = [:]
    private var pending: Transaction?
    /// The commit up to which ``records`` have what the cache of this life has. Most writes are of positions alone, and
    /// need not look at every model.
    private var recordedThrough: UInt64?

    init(mode: Mode) { self.mode = mode }

    /// True while a transaction was begun and is not durable yet.
    var isWriting: Bool { pending != nil }

    /// Begins to write what has changed since the last time; it is durable at `dueAt`.
    mutating func begin(
        _ cache: ModelCache, updateCount: Int, clock: Stamp, positions: [StreamPosition], lastContact: UInt64?,
        forgotten: Set<String>, dueAt: UInt64
    ) {
        let snapshot = cache.snapshot()
        let isSame = snapshot.commitNumber == recordedThrough
        var changed: [ModelKey: CellRecord] = [:]
        var gone = isSame ? [] : Set(records.keys)
        for type in snapshot.types where !isSame {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                let key = ModelKey(type: type, id: record.id)
                gone.remove(key)
                if records[key]?.isIdentical(to: record) != true { changed[key] = record }
                return true
            }
        }
        pending = Transaction(
            records: changed, gone: gone, updateCount: updateCount, clock: clock, positions: positions,
            lastContact: lastContact, forgotten: forgotten, pushCount: mergedCount,
            commitNumber: snapshot.commitNumber, dueAt: dueAt)
    }

    /// Makes a pushed batch durable.
    mutating func store(_ push: Push, writtenMilliseconds: UInt64) {
        guard !pushes.contains(where: { $0.stream == push.stream && $0.sequence == push.sequence }) else { return }
        var push = push
        push.writtenMilliseconds = writtenMilliseconds
        pushes.append(push)
    }

    /// The relay has merged all pushed batches up to this one.
    mutating func noteMerged(_ push: Push) {
        let index = pushes.lastIndex { $0.stream == push.stream && $0.sequence == push.sequence }
        mergedCount = max(mergedCount, index.map { $0 + 1 } ?? 0)
    }

    /// Makes the pending transaction durable if it is due by `time`.
    /// - Parameter isHeld: whether the process's replay ring holds a pushed batch.
    mutating func finish(at time: UInt64, isHeld: (Push) -> Bool) {
        guard let transaction = pending, transaction.dueAt <= time else { return }
        pending = nil
        recordedThrough = transaction.commitNumber
        records.merge(transaction.records) { $1 }
        for key in transaction.gone { records[key] = nil }
        updateCount = max(updateCount, transaction.updateCount)
        clock = max(clock, transaction.clock)
        lastContact = transaction.lastContact ?? lastContact
        positionByStream = positionByStream.filter { !transaction.forgotten.contains($0.key.origin) }
        let later = pushes[transaction.pushCount...]
        var earlier = pushes[..<transaction.pushCount]
        // A stream that the transaction leaves out keeps its position.
        for position in transaction.positions {
            positionByStream[StreamName(origin: position.origin, topic: position.topic)] = position
        }
        // A batch that has left the ring cannot be replayed. Once the records hold it, it need not be kept as a batch.
        earlier.removeAll { !isHeld($0) && isRecorded($0) }
        let unmergedCount = pushes.count - mergedCount
        pushes = (earlier + later).filter { !transaction.forgotten.contains($0.stream.origin) }
        mergedCount = max(pushes.count - unmergedCount, 0)
    }

    /// How many pushed batches a restarted relay may merge: those that are not in ``records``, and those of a start
    /// before one that only others had told, which closes no earlier start.
    var mergeableCount: Int {
        pushes.count { push in
            guard isRecorded(push), let position = position(of: push) else { return true }
            return position.incarnation > push.stream.incarnation && !position.isPushed
        }
    }

    private func position(of push: Push) -> StreamPosition? {
        positionByStream[StreamName(origin: push.stream.origin, topic: push.stream.topic)]
    }

    private func isRecorded(_ push: Push) -> Bool {
        guard let position = position(of: push) else { return false }
        return position.incarnation > push.stream.incarnation
            || (position.incarnation == push.stream.incarnation && position.applied >= push.sequence)
    }

    /// The process dies: a transaction that is not durable is lost as a whole.
    /// - Returns: true when there was one.
    mutating func crash() -> Bool {
        defer { (pending, recordedThrough, mergedCount) = (nil, nil, pushes.count) }
        return pending != nil
    }

    /// Empties the disk, as when the process has lost it.
    mutating func erase() { self = SimulatedDisk(mode: mode) }

    /// A cache that holds what is durable, for the next life of the process.
    mutating func restored() -> ModelCache {
        recordedThrough = nil
        let cache = ModelCache()
        guard !records.isEmpty else { return cache }
        cache.commit { commit in
            // Sorted by their bytes, because a run must not depend on the order of a dictionary: two ids of the same
            // characters are neither before nor after each other.
            let keys = records.keys.sorted { ($0.type, ExactText($0.id)) < ($1.type, ExactText($1.id)) }
            for key in keys {
                if let record = records[key] { commit.join(record, type: key.type) }
            }
        }
        return cache
    }
}
