import GRDB

/// The state that survives a restart, in one SQLite file: records, heads, the ring of batches, facts.
///
/// A store is for one thread at a time; ``WriteBehind`` puts a queue in front of it. The file belongs to one store at a
/// time: a second one, in this or another process, fails with ``StoreError/Code/inUse``.
///
/// ```swift
/// let store = try Store.open(path: "/var/lib/modelcast/users.store")
/// print(store.openReport)
/// try store.forEachRecord { type, record in … }
/// try store.write(changes, durably: true)
/// try store.close()
/// ```
/// A damaged file is never deleted. It is renamed to `NAME.corrupt-TIME`, the report says so, and the store begins
/// empty. Where damage shows up later, the call throws ``StoreError/Code/corrupt``, and ``replace(because:)`` sets the
/// file aside in the same way.
///
/// Three checks find damage: of the structure at opening, of each row's checksum where it is read, and of the number of
/// commits, which a mark beside the file tells.
///
/// ## Figures
///
/// CPU time, for records of 470 bytes in random order through ``WriteBehind``: 7 µs for a row, 0.12 µs for an update of
/// a model that already waits, 42 µs for a durable commit of 10 kB with 64 in flight (50 share an fsync).
///
/// ## Why GRDB, and what it costs
///
/// Measured on two cores, release build, with 200,000 records of 450 bytes in random order and transactions of 1,000,
/// against direct calls of the C library: new records 1.9 s to 1.75 s, rewritten records 0.48 s to 0.32 s. That is 1.1
/// and 1.5 times. In return, GRDB's well-tested code handles statements, result codes, transactions and the life of the
/// handle. A first build takes about a minute longer. Reading all records took 1.8 times as long with GRDB; only there
/// the store steps through the rows by SQLite's own functions.
public final class Store {
    /// The path of the file.
    public let path: String
    /// The findings of the opening, or of the last ``replace(because:)``.
    public internal(set) var openReport: OpenReport
    /// A call has thrown ``StoreError/Code/corrupt``. Only ``replace(because:)`` and ``close()`` are of use then.
    public private(set) var isCorrupt = false
    /// A call has thrown ``StoreError/Code/detached``: the open file is no longer the one at the path.
    public private(set) var isDetached = false

    let configuration: StoreConfiguration
    let schema: Schema
    /// Nil when the store is closed.
    private var connection: DatabaseQueue?
    var types = TypeNumbers()
    /// The sum of the payloads of the ring, in bytes.
    var batchByteCount = 0
    private var isDurable = false
    private var isConfirmed = false
    /// The number of the last transaction.
    var commitNumber: UInt64 { opened.commitNumber }
    /// Everything that was written is on disk.
    private(set) var isSynced = false
    /// The result of the opening, with the numbers that go on from there.
    private var opened: Opened
    /// The files as they were opened. The paths must still lead to them at each write.
    private var place: FilePlace?
    private var logPlace: FilePlace?
    /// The sizes of both files after the last commit, in bytes. Only another program makes them shorter.
    private var sizes = (file: 0, log: 0)
    /// The rows that were skipped as damaged when their tables were read last.
    public private(set) var damagedRows: [DamagedRow] = []

    private init(
        isConfirmed: Bool, path: String, configuration: StoreConfiguration, schema: Schema, opened: Opened
    ) {
        self.path = path
        self.configuration = configuration
        self.schema = schema
        self.opened = opened
        openReport = opened.report
        take(opened)
        self.isConfirmed = isConfirmed
    }

    private func take(_ opened: Opened) {
        self.opened = opened
        (connection, openReport) = (opened.connection, opened.report)
        (types, batchByteCount) = (opened.types, opened.batchByteCount)
        damagedRows = opened.types.damaged
        (isCorrupt, isDetached, isDurable, isSynced, isConfirmed) = (false, false, false, false, true)
        (place, logPlace, sizes) = (FilePlace(path: path), nil, (0, 0))
    }

    /// Opens the file at `path`, or makes it.
    /// - Throws: ``StoreError``: missing directory, no permission, in use, a newer schema, another program's file, disk
    ///   full. Damage does not throw: the file is set aside, and ``openReport`` says so.
    public static func open(
        path: String, configuration: StoreConfiguration = StoreConfiguration()
    ) throws(StoreError) -> Store {
        try open(path: path, configuration: configuration, schema: .current)
    }

    static func open(
        path: String, configuration: StoreConfiguration = StoreConfiguration(), schema: Schema
    ) throws(StoreError) -> Store {
        let opened = try Opened.orSetAside(path: path, configuration: configuration, schema: schema)
        return Store(isConfirmed: true, path: path, configuration: configuration, schema: schema, opened: opened)
    }

    /// Opens the file at `path` without checking that it is whole, so that the caller can read what is left of a
    /// damaged one. Call ``confirm()`` or ``replace(because:)`` before anything is written.
    public static func openUnconfirmed(
        path: String, configuration: StoreConfiguration = StoreConfiguration()
    ) throws(StoreError) -> Store {
        let schema = Schema.current
        do {
            let opened = try Opened(path: path, configuration: configuration, schema: schema)
            return Store(isConfirmed: false, path: path, configuration: configuration, schema: schema, opened: opened)
        } catch  where error.code == .corrupt {
            return try open(path: path, configuration: configuration)
        }
    }

    /// Checks whether the file is whole: whether it holds every commit that its mark tells of, and whether its
    /// structure is sound. Does nothing where that has been done.
    /// - Throws: ``StoreError/Code/corrupt`` where the file is not whole.
    public func confirm() throws(StoreError) {
        guard !isConfirmed else { return }
        let (confirming, configuration) = (opened, configuration)
        opened = try run("checking the file") { database in
            var opened = confirming
            try opened.confirm(database, configuration)
            return opened
        }
        isConfirmed = true
    }

    /// Sets the file aside as damaged, whatever its state, and goes on with a new, empty one.
    ///
    /// Where another file has taken the place of the store's file, that file is left alone, and this throws. May be
    /// called again after it has thrown. The new file counts as partial until its owner has noted everything anew:
    /// ``StoreFacts/isPartial``.
    /// - Parameter damage: why the file is set aside, and where that was found, for the report.
    /// - Returns: the new ``openReport``.
    @discardableResult
    public func replace(because damage: String = "damage found while in use") throws(StoreError) -> OpenReport {
        let isGone = isDetached
        letGo()
        let file = StoreFile(path: path)
        try file.checkDirectory()
        if let found = FilePlace(path: path), isGone, found != place {
            throw StoreError(.detached, path: path, "another file was put in its place, which is left alone")
        }
        let aside = file.hasRemains ? try file.setAside() : nil
        let began = opened.beganMilliseconds
        take(
            try Opened.confirmed(
                path: path, configuration: configuration, schema: schema, beganMilliseconds: began))
        let reason = isGone ? "it was taken away while in use" : damage
        openReport.setAside = aside.map { OpenReport.SetAside(path: $0, reason: reason) }
        var facts = StoreChanges()
        facts.facts.isPartial = true
        try write(facts, durably: false)
        return openReport
    }

    /// Closes the connection and leaves the log where it is: see ``Database/keepLog(_:byteCount:)``.
    private func letGo() {
        try? connection?.writeWithoutTransaction { try $0.keepLog(true, byteCount: 0) }
        try? connection?.close()
        connection = nil
    }

    /// Moves the rest of the log into the file and closes it. Closing twice is harmless.
    /// - Throws: ``StoreError``, when the last transaction or the closing fails.
    public func close() throws(StoreError) {
        guard let connection else { return }
        defer { self.connection = nil }
        if !isCorrupt, !isDetached, isConfirmed {
            var last = StoreChanges()
            last.facts[StoreFacts.Key.closed] = [1]
            do throws(StoreError) {
                try write(last, durably: true)
            } catch {
                if isDetached { letGo() }
                throw error
            }
            opened.mark?.sync()
        }
        if isDetached { return letGo() }
        do { try connection.close() } catch { throw StoreError(error, path: path, while: "closing") }
    }

    /// Runs `body` outside of a transaction, and turns its errors into ``StoreError``.
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

    /// Moves the log into the file where a large transaction has made it larger than the configuration allows.
    func trimLog() {
        guard let log = FilePlace(path: path + "-wal"), log.byteCount > configuration.logByteCount else { return }
        // Where this fails, as on a full disk, the log stays in use, and the next commit reports the failure.
        try? run("moving the log into the file") { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        noteSizes()
    }

    /// Notes a commit.
    func note(commit number: UInt64, isSynced: Bool) {
        opened.commitNumber = number
        self.isSynced = isSynced
        opened.mark?.note(number, isSynced: isSynced)
        noteSizes()
    }

    private func noteSizes() {
        sizes = (FilePlace(path: path)?.byteCount ?? 0, FilePlace(path: path + "-wal")?.byteCount ?? 0)
    }

    func forgetDamage(of table: DamagedRow.Table) { damagedRows.removeAll { $0.table == table } }

    func note(_ damaged: [DamagedRow]) { damagedRows += damaged }

    /// Checks that the open files are still those at their paths, which the next start will find.
    /// - Throws: ``StoreError/Code/detached``.
    func checkPlace() throws(StoreError) {
        guard connection != nil, let place else { return }
        let log = FilePlace(path: path + "-wal")
        let found = FilePlace(path: path)
        let isShorter = found?.byteCount ?? 0 < sizes.file
        let isLogShorter = log?.byteCount ?? 0 < sizes.log
        guard !isDetached, found == place, logPlace == nil || log == logPlace, !isShorter, !isLogShorter else {
            isDetached = true
            let what =
                if found == nil {
                    "the file was deleted or renamed"
                } else if found != place {
                    "another file was put in its place"
                } else if isShorter {
                    "the file was cut off"
                } else {
                    log == nil || log != logPlace ? "its log was deleted or renamed" : "its log was cut off"
                }
            throw StoreError(.detached, path: path, "\(what) while this process writes to it")
        }
        logPlace = logPlace ?? log
        opened.mark?.renewIfMissing()
    }

    /// Chooses whether the next commits wait for the disk. May not be called inside a transaction.
    func setDurability(_ durably: Bool, of database: Database) throws {
        guard durably != isDurable else { return }
        try database.execute(sql: "PRAGMA synchronous = \(durably ? "FULL" : "NORMAL")")
        isDurable = durably
    }

    /// Limits the file to so many pages of 4 KiB. Beyond that SQLite reports a full disk. For tests.
    func limitPages(to count: Int) throws(StoreError) {
        try run("limiting the size") { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    }

    /// The number of pages of the file.
    func pageCount() throws(StoreError) -> Int {
        try run("counting pages") { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
    }
}
