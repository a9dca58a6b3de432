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
    /// The cache that owns the table.
    let owner: ObjectIdentifier
    let shards = Shards()
    /// The changes that the commit in progress is about to make. Under the writer lock.
    var pending: PendingSet
    /// What the table may hold, and what has been evicted from it; nil where there is no limit.
    let bounds: TableBounds?
    private let lastRecordByteCount = Atomic(512)
    /// The digest of each bucket. Under the cut lock.
    var digests = [UInt64](repeating: 0, count: 256)

    /// The size in bytes of the record that was made last, which is about what the next ones take. Only the writer sets
    /// it. It is atomic because each access to a variable would be checked for exclusivity.
    var recordByteCount: Int {
        get { lastRecordByteCount.load(ordering: .relaxed) }
        set { lastRecordByteCount.store(newValue, ordering: .relaxed) }
    }

    init(name: String, number: Int, owner: ObjectIdentifier, bounds: TableBounds?) {
        self.owner = owner
        self.bounds = bounds
        pending = PendingSet(bounds: bounds)
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

/// The numbers of a type's models at one commit.
struct TableCounts {
    /// Tombstones included.
    var records = 0
    /// Models that exist.
    var existing = 0
}

/// The tables of a cache by name. A copy is made in O(1) and never changes, except for the indexes, which are shared.
struct Directory {
    private(set) var tables: [TypeTable] = []
    /// The indexes of names. The last one has all tables; readers may still be at work in those before it.
    private(set) var indexes = [TypeIndex(capacity: 16)]
    /// How much each type may hold; nil where nothing is limited.
    private var limits: CacheLimits?

    init(limits: CacheLimits? = nil) { self.limits = limits }

    /// The table of `name`. In a copy it may be a table that was made after the copy.
    subscript(name: String) -> TypeTable? {
        unsafe indexes[indexes.count - 1].table(name)?.takeUnretainedValue()
    }

    /// Sets other limits, for tables that are made from now on.
    mutating func setLimits(_ new: CacheLimits) { limits = new }

    /// The table of `name`, made if there is none.
    mutating func make(_ name: String, owner: ObjectIdentifier) -> TypeTable {
        if let table = self[name] { return table }
        let bounds = limits.flatMap { limits in
            limits.bounds(of: name).map { TableBounds($0, limits.prefetch) }
        }
        let table = TypeTable(name: name, number: tables.count, owner: owner, bounds: bounds)
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
