public import ModelRecord
public import ModelTypes
import Synchronization

/// All models of a process: records by type and id, read from any thread, changed in atomic steps, observed.
///
/// ```swift
/// let age = subscriber.cache["User", "42"]?["age"]
/// ```
/// - Only the service writes the cache of a service. No other copy ever hears of anything else that is committed to it.
/// - A read takes the newest committed record and never waits for a commit. Each read stands for itself. Reads that
///   must agree go through ``snapshot()``, which is one cut across all types and is taken in O(1).
/// - A commit shows all of its changes at once to snapshots and observers. Commits of several threads take turns.
/// - Observers are told after the commit, in commit order, on the queue that they gave: see
///   ``observe(_:evictions:on:_:)``.
///
/// Deleted models stay as tombstones, so that late updates cannot bring them back. Unfit for data larger than memory.
public final class ModelCache: Sendable {
    // Locks, in the order in which one thread may hold several: writerLock, cut, then directory or one shard's.
    // Inboxes are reached under the writer lock at most. No lock but the writer's is held for longer than the
    // publishing of a batch takes, and none while a callback runs.

    /// Held from the first merge of a commit to the hand-over of its changes.
    let writerLock = Guarded<Void>(())
    let writer = Writer()
    /// Held while a commit is published, a snapshot is opened or closed, an observer comes or goes.
    let cut = Guarded(Cut())
    private let directory: Guarded<Directory>
    /// The address of the directory's last index, which lives as long as the directory.
    private let index: Atomic<UInt>
    /// The tables by the Swift types that view them.
    private let swiftTypes = SwiftTypeIndex()
    /// Reports the records of which a Swift type could not be made when they were read as that type.
    public let problems = ModelProblems()

    /// The change streams, which end when the service that writes this cache has stopped.
    let streams = StreamList()
    let streamGuard: ChangeStream.StreamGuard?

    /// How much the cache may hold; nil where nothing is limited. Under the writer lock.
    let limiter: Limiter?

    /// An empty cache.
    public convenience init() { self.init(streamsGuardedBy: nil) }

    /// An empty cache.
    /// - Parameters:
    ///   - limits: how much it may hold: see ``enforceLimits(now:)``.
    ///   - streamGuard: wraps each wait for the next set of a change stream.
    package init(limits: CacheLimits? = nil, streamsGuardedBy streamGuard: ChangeStream.StreamGuard? = nil) {
        self.streamGuard = streamGuard
        limiter = limits.map { Limiter($0) }
        let directory = Directory(limits: limits)
        index = Atomic(ModelCache.address(of: directory))
        self.directory = Guarded(directory)
    }

    /// Ends every change stream, behind the changes that wait for it. Called when nothing will change any more.
    package func endStreams() { streams.end() }

    // MARK: Reading

    /// The model `id` of `type`, or nil when it does not exist.
    public subscript(type: String, id: String) -> CellRecord? {
        guard let record = read(type, id), record.isPresent else { return nil }
        return record
    }

    /// The record of a model of a Swift type, or nil when it does not exist.
    public func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord? {
        let text = id.idText
        guard let table = unsafe swiftTypes.table(ObjectIdentifier(M.self)) else { return recordByName(type, text) }
        let record = unsafe table._withUnsafeGuaranteedRef { $0.record(text, forViews: true) }
        // Not `ifPresent`, which would take one more reference at each read.
        return record.flatMap { $0.isPresent ? $0 : nil }
    }

    @inline(never)
    private func recordByName<M: Model>(_ type: M.Type, _ id: String) -> CellRecord? {
        if swiftTypes.hasRoom, let table = existingTable(M.modelType) {
            directory.withLock { _ in swiftTypes.insert(ObjectIdentifier(M.self), table) }
        }
        return self[M.modelType, id]
    }

    /// The record of `id`, or nil when it does not exist. With `includingTombstones`, that of a deleted model, too.
    public func record(type: String, id: String, includingTombstones: Bool) -> CellRecord? {
        guard let record = read(type, id) else { return nil }
        return record.isPresent || includingTombstones ? record : nil
    }

    /// A handle for many reads of one type. The type need not have any models yet.
    public func table(_ type: String) -> ModelTable { ModelTable(table: makeTable(type)) }

    /// The types that have or had models, in the order in which the cache came to know their names.
    public var types: [String] {
        let (counts, directory) = cut.withLock { ($0.counts, directoryCopy()) }
        return Cut.types(counts, directory)
    }

    /// The cache has a table for models of the type, which it keeps.
    @_spi(CacheWriting)
    public func knows(_ type: String) -> Bool { existingTable(type) != nil }

    /// How many models of `type` exist.
    public func count(of type: String) -> Int {
        guard let table = existingTable(type) else { return 0 }
        return cut.withLock { $0.counts(of: table).existing }
    }

    // MARK: Digests

    /// The digest of all models of `type`: see the protocol article, section 7.
    public func digest(of type: String) -> UInt64 { digest(of: type, buckets: 0..<256) }

    /// The digest of a range of buckets, which lies within 0..<256.
    public func digest(of type: String, buckets: Range<Int>) -> UInt64 {
        bucketDigests(of: type)[buckets].reduce(0, &+)
    }

    /// The digests of the 256 buckets of `type`.
    public func bucketDigests(of type: String) -> [UInt64] {
        guard let table = existingTable(type) else { return [UInt64](repeating: 0, count: 256) }
        return cut.withLock { _ in table.digests }
    }

    // MARK: Inside

    /// Reads a record. The table is not counted: all reading cores would compete for the cache line of its count.
    @inline(__always)
    private func read(_ type: String, _ id: String) -> CellRecord? {
        guard let table = unsafe unmanagedTable(type) else { return nil }
        return unsafe table._withUnsafeGuaranteedRef { $0.record(id) }
    }

    /// The table of `type`, if there is one.
    /// - Complexity: O(1), without a lock.
    func existingTable(_ type: String) -> TypeTable? { unsafe unmanagedTable(type)?.takeUnretainedValue() }

    /// The table of `type`, not counted: the directory keeps it as long as the cache lives.
    func unmanagedTable(_ type: String) -> Unmanaged<TypeTable>? {
        guard let address = unsafe UnsafeRawPointer(bitPattern: index.load(ordering: .acquiring)) else { return nil }
        // The directory keeps every index until the cache goes, and the caller keeps the cache.
        return unsafe Unmanaged<TypeIndex>.fromOpaque(address)._withUnsafeGuaranteedRef { unsafe $0.table(type) }
    }

    /// The table of `type`, made if there is none.
    func makeTable(_ type: String) -> TypeTable {
        if let table = existingTable(type) { return table }
        return directory.withLock { directory in
            let table = directory.make(type, owner: ObjectIdentifier(self))
            index.store(ModelCache.address(of: directory), ordering: .releasing)
            return table
        }
    }

    private static func address(of directory: Directory) -> UInt {
        guard let last = directory.indexes.last else { return 0 }
        return unsafe UInt(bitPattern: Unmanaged.passUnretained(last).toOpaque())
    }

    func directoryCopy() -> Directory { directory.withLock { $0 } }

    /// Sets other limits for tables that are made from now on.
    /// - Returns: those that were made before.
    func setTableLimits(_ limits: CacheLimits) -> [TypeTable] {
        directory.withLock { directory in
            directory.setLimits(limits)
            return directory.tables
        }
    }
}

/// The state that a commit changes as a whole. A thread that holds its lock sees the state between two commits.
struct Cut {
    /// How many commits changed anything.
    var commitNumber: UInt64 = 0
    /// The counts of each table, by its number; may be shorter than the directory.
    var counts: [TableCounts] = []
    var epochs = Epochs()
    var observers = Observers()
    /// The observers among them that are told, too, which models leave the copy for its limits.
    var evictionObservers = Observers()

    func counts(of table: TypeTable) -> TableCounts {
        table.number < counts.count ? counts[table.number] : TableCounts()
    }

    /// Makes room for the counts of `table`.
    mutating func reserveCounts(of table: TypeTable) {
        guard counts.count <= table.number else { return }
        counts.append(contentsOf: repeatElement(TableCounts(), count: table.number + 1 - counts.count))
    }

    static func types(_ counts: [TableCounts], _ directory: Directory) -> [String] {
        zip(counts, directory.tables).compactMap { $0.records > 0 ? $1.name : nil }
    }
}
