import GRDB

/// What survives a restart, in one SQLite file: records, heads, the ring of batches, facts.
///
/// A store is for one thread at a time; ``WriteBehind`` puts a queue in front of it. The file belongs to one store at a
/// time: another process is refused with ``StoreError/Code/inUse``.
///
/// ```swift
/// let store = try Store.open(path: "/var/lib/modelcast/users.store")
/// print(store.openReport)
/// try store.forEachRecord { type, record in … }
/// try store.write(changes, durably: true)
/// try store.close()
/// ```
/// A damaged file is never written to nor deleted. It is renamed to `NAME.corrupt-TIME`, the report says so, and the
/// store begins empty. Where damage shows up later the call throws ``StoreError/Code/corrupt``, and ``replace()`` does
/// the same then.
///
/// ## Figures
///
/// CPU time, records of 470 bytes in random order through ``WriteBehind``: 7 µs for a row, 0.12 µs for an update of a
/// model that is waiting already, 42 µs for a durable commit of 10 kB with 64 in flight (50 share an fsync).
///
/// ## Why GRDB, and what it costs
///
/// Measured on two cores, release build, 200,000 records of 450 bytes in random order, transactions of 1,000, against
/// the C library called directly: new records 1.9 s to 1.75 s, records written again 0.48 s to 0.32 s. That is 1.1 and
/// 1.5 times; in return statements, errors and their codes, transactions and the life of the handle are the well-tested
/// work of somebody else. A first build takes about a minute longer. Only where all records are read, which took 1.8
/// times as long, the rows of GRDB's statement are stepped through by the C library.
public final class Store {
    /// The file.
    public let path: String
    /// What the opening found, or the last ``replace()``.
    public internal(set) var openReport: OpenReport
    /// A call has thrown ``StoreError/Code/corrupt``: nothing more can be done but ``replace()`` or ``close()``.
    public private(set) var isCorrupt = false

    let configuration: StoreConfiguration
    let schema: Schema
    /// Nil when it is closed.
    private var connection: DatabaseQueue?
    var types = TypeNumbers()
    /// What all payloads in the ring take together.
    var batchByteCount = 0
    private var isDurable = false

    private init(path: String, configuration: StoreConfiguration, schema: Schema, opened: Opened) {
        self.path = path
        self.configuration = configuration
        self.schema = schema
        (connection, openReport) = (opened.connection, opened.report)
        (types, batchByteCount) = (opened.types, opened.batchByteCount)
    }

    /// Opens the file at `path`, or makes it.
    /// - Throws: ``StoreError``: missing directory, no permission, in use, a newer schema, another program's file, disk
    ///   full. Damage is not among them: that file is set aside, and ``openReport`` says so.
    public static func open(
        path: String, configuration: StoreConfiguration = StoreConfiguration()
    ) throws(StoreError) -> Store {
        try open(path: path, configuration: configuration, schema: .current)
    }

    static func open(
        path: String, configuration: StoreConfiguration = StoreConfiguration(), schema: Schema
    ) throws(StoreError) -> Store {
        let opened = try Opened.orSetAside(path: path, configuration: configuration, schema: schema)
        return Store(path: path, configuration: configuration, schema: schema, opened: opened)
    }

    /// Sets the file aside as damaged, whatever its state, and goes on with a new, empty one.
    ///
    /// May be called again after it has thrown.
    /// - Returns: the new ``openReport``.
    @discardableResult
    public func replace() throws(StoreError) -> OpenReport {
        try? connection?.close()
        connection = nil
        let file = StoreFile(path: path)
        try file.checkDirectory()
        let aside = file.exists ? try file.setAside() : nil
        var opened = try Opened(path: path, configuration: configuration, schema: schema)
        opened.report.setAside = aside.map { OpenReport.SetAside(path: $0, reason: "damage found while in use") }
        (connection, openReport) = (opened.connection, opened.report)
        (types, batchByteCount) = (opened.types, opened.batchByteCount)
        (isCorrupt, isDurable) = (false, false)
        return openReport
    }

    /// Writes what is left in the log into the file and lets it go. A closed store may be closed again.
    public func close() throws(StoreError) {
        guard let connection else { return }
        defer { self.connection = nil }
        if !isCorrupt {
            var last = StoreChanges()
            last.facts[StoreFacts.Key.closed] = [1]
            try write(last, durably: true)
        }
        do { try connection.close() } catch { throw StoreError(error, path: path, while: "closing") }
    }

    /// Runs `body` outside of a transaction and makes a typed error of what it throws.
    func run<R>(_ work: String, _ body: (Database) throws -> R) throws(StoreError) -> R {
        guard let connection else { throw StoreError(.closed, path: path, work) }
        do {
            return try connection.writeWithoutTransaction(body)
        } catch {
            let known = StoreError(error, path: path, while: work)
            if known.code == .corrupt { isCorrupt = true }
            throw known
        }
    }

    /// Chooses whether the next commit waits for the disk. May not be called inside a transaction.
    func setDurability(_ durably: Bool, of database: Database) throws {
        guard durably != isDurable else { return }
        try database.execute(sql: "PRAGMA synchronous = \(durably ? "FULL" : "NORMAL")")
        isDurable = durably
    }

    /// Lets the file grow to so many pages of 4 KiB, no further: SQLite says "disk full" then. For tests.
    func limitPages(to count: Int) throws(StoreError) {
        try run("limiting the size") { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    }

    /// The pages that the file has.
    func pageCount() throws(StoreError) -> Int {
        try run("counting pages") { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
    }
}
