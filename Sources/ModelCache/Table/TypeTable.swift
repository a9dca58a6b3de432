import ModelRecord
import Synchronization

/// All records of one type.
// Unchecked because of two properties: `pending` is touched only under the cache's writer lock, `digests` only under
// its cut lock.
final class TypeTable: @unchecked Sendable {
    /// The name of the type.
    let name: String
    /// The position of this table in the cache's directory.
    let number: Int
    /// The cache that the table is of.
    let owner: ObjectIdentifier
    let shards = Shards()
    /// What the commit in progress is about to change. Under the writer lock.
    var pending = PendingSet()
    private let lastRecordByteCount = Atomic(512)
    /// The digest of each bucket. Under the cut lock.
    var digests = [UInt64](repeating: 0, count: 256)

    /// How large the record was that was made last: about what the next ones take. The writer's; atomic because a
    /// variable would be checked for exclusive access each time.
    var recordByteCount: Int {
        get { lastRecordByteCount.load(ordering: .relaxed) }
        set { lastRecordByteCount.store(newValue, ordering: .relaxed) }
    }

    init(name: String, number: Int, owner: ObjectIdentifier) {
        self.owner = owner
        self.name = name
        self.number = number
    }

    deinit { shards.destroy() }

    /// The record of `id`, tombstones included.
    @inline(__always)
    func record(_ id: String, forViews: Bool = false) -> CellRecord? {
        let span = id.utf8.span
        return shards.record(SlotArray.hash(idHash: Fingerprint.fnv(span)), span, forViews: forViews)
    }
}

/// How many models a type has, at one commit.
struct TableCounts {
    /// Tombstones included.
    var records = 0
    /// Models that exist.
    var existing = 0
}

/// The tables of a cache by name. A copy costs nothing and never changes, but for the indexes, which are shared.
struct Directory {
    private(set) var tables: [TypeTable] = []
    /// The tables by name: the last one; readers may still be at work in those before it.
    private(set) var indexes = [TypeIndex(capacity: 16)]

    /// The table of `name`; of a copy it may be one that came later.
    subscript(name: String) -> TypeTable? {
        unsafe indexes[indexes.count - 1].table(name)?.takeUnretainedValue()
    }

    /// The table of `name`, made if there is none.
    mutating func make(_ name: String, owner: ObjectIdentifier) -> TypeTable {
        if let table = self[name] { return table }
        let table = TypeTable(name: name, number: tables.count, owner: owner)
        tables.append(table)
        if tables.count * 2 <= indexes[indexes.count - 1].capacity {
            indexes[indexes.count - 1].insert(table)
        } else {
            let larger = TypeIndex(capacity: indexes[indexes.count - 1].capacity * 2)
            for table in tables { larger.insert(table) }
            indexes.append(larger)
        }
        return table
    }
}
