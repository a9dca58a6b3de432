import Foundation
import GRDB
import ModelRecord
import ModelWire

extension Store {
    /// Writes `changes` in one transaction: all of them, or nothing where it throws.
    /// - Parameter durably: the call returns when the changes are on disk, together with everything that was written
    ///   before. Without it, a power cut may take the last seconds. The death of the process alone takes nothing in
    ///   either case.
    /// - Throws: ``StoreError``. After ``StoreError/Code/diskFull`` the store goes on, and the caller may try again.
    public func write(_ changes: StoreChanges, durably: Bool) throws(StoreError) {
        try write([changes], durably: durably)
    }

    /// Writes several changes, in order, in one transaction.
    func write(_ changes: [StoreChanges], durably: Bool) throws(StoreError) {
        let isEmpty = changes.allSatisfy(\.isEmpty)
        // Earlier transactions may still wait for the disk.
        guard !isEmpty || (durably && !isSynced) else { return }
        try checkPlace()
        let number = commitNumber + 1
        let known = try run("writing") { database in
            try setDurability(durably, of: database)
            var transaction = WriteTransaction(database, types: types, batchByteCount: batchByteCount)
            try database.inTransaction(.immediate) {
                for part in changes { try transaction.write(part) }
                try transaction.write(number: number)
                return .commit
            }
            return (types: transaction.types, batchByteCount: transaction.batchByteCount)
        }
        (types, batchByteCount) = known
        note(commit: number, isSynced: durably)
        // Nothing counts as durable that is in a file which the next start will not find.
        if durably { try checkPlace() }
    }
}

/// The work of one transaction, and what the store knows after its commit.
private struct WriteTransaction {
    let database: Database
    var types: TypeNumbers
    var batchByteCount: Int

    init(_ database: Database, types: TypeNumbers, batchByteCount: Int) {
        (self.database, self.types, self.batchByteCount) = (database, types, batchByteCount)
    }

    mutating func write(_ changes: StoreChanges) throws {
        for origin in changes.removedOrigins { try remove(origin: origin) }
        try upsert(changes.records)
        try remove(changes.removedRecords)
        try write(changes.heads)
        try write(changes.origins)
        try write(changes.facts)
        for range in changes.removedBatches { try remove(range) }
        try append(changes.batches)
        if let retention = changes.retention { try prune(retention) }
    }

    private func statement(_ sql: String) throws -> Statement { try database.cachedStatement(sql: sql) }

    private mutating func upsert(_ records: [StoredRecord]) throws {
        guard !records.isEmpty else { return }
        let statement = try statement(
            """
            INSERT INTO record(type, id, bytes, sum) VALUES (?, ?, ?, ?)
            ON CONFLICT(type, id) DO UPDATE SET bytes = excluded.bytes, sum = excluded.sum
            """)
        for row in records {
            let number = try types.number(of: row.type, database)
            statement.setUncheckedArguments([
                number, Data(copying: row.record.idBytes), Data(copying: row.record.bytes),
                RowSum.record(type: number, id: row.record.idBytes, bytes: row.record.bytes),
            ])
            try statement.execute()
        }
    }

    private func remove(_ records: [StoredRecord]) throws {
        guard !records.isEmpty else { return }
        let statement = try statement("DELETE FROM record WHERE type = ? AND id = ?")
        for row in records {
            guard let number = types[row.type] else { continue }
            try statement.execute(arguments: [number, Data(copying: row.record.idBytes)])
        }
    }

    private func write(_ heads: [StoredHead]) throws {
        guard !heads.isEmpty else { return }
        let statement = try statement(
            "INSERT OR REPLACE INTO head(origin, topic, incarnation, sequence, sum) VALUES (?, ?, ?, ?, ?)")
        for head in heads {
            try statement.execute(arguments: [
                head.origin, Data(head.topic.bytes), Int64(bitPattern: head.incarnation),
                Int64(bitPattern: head.sequence), head.sum,
            ])
        }
    }

    private func write(_ origins: [StoredOrigin]) throws {
        guard !origins.isEmpty else { return }
        let statement = try statement(
            "INSERT OR REPLACE INTO origin(name, incarnation, stamp, sum) VALUES (?, ?, ?, ?)")
        for origin in origins {
            try statement.execute(arguments: [
                origin.name, Int64(bitPattern: origin.incarnation), Int64(bitPattern: origin.stamp), origin.sum,
            ])
        }
    }

    private func write(_ facts: StoreFacts) throws {
        guard !facts.values.isEmpty else { return }
        let statement = try statement("INSERT OR REPLACE INTO fact(name, value, sum) VALUES (?, ?, ?)")
        for (name, value) in facts.values where !value.isEmpty {
            try statement.execute(arguments: [name, Data(value), RowSum.fact(name, value)])
        }
        for (name, value) in facts.values where value.isEmpty {
            try self.statement("DELETE FROM fact WHERE name = ?").execute(arguments: [name])
        }
    }

    /// Writes the number of the transaction: see ``StoreMark``.
    func write(number: UInt64) throws {
        var facts = StoreFacts()
        facts[StoreFacts.Key.commit] = number.bigEndianBytes
        try write(facts)
    }

    private mutating func append(_ batches: [StoredBatch]) throws {
        guard !batches.isEmpty else { return }
        let statement = try statement(
            """
            INSERT OR IGNORE INTO batch(origin, incarnation, topic, sequence, written, payload, sum)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        for batch in batches {
            statement.setUncheckedArguments([
                batch.origin, Int64(bitPattern: batch.incarnation), Data(batch.topic.bytes),
                Int64(bitPattern: batch.sequence), Int64(bitPattern: batch.writtenMilliseconds), Data(batch.payload),
                batch.sum,
            ])
            try statement.execute()
            if database.changesCount > 0 { batchByteCount += batch.payload.count }
        }
    }

    private mutating func remove(origin: String) throws {
        try removeBatches("origin = ?", [origin])
        try database.execute(sql: "DELETE FROM head WHERE origin = ?", arguments: [origin])
        try database.execute(sql: "DELETE FROM origin WHERE name = ?", arguments: [origin])
    }

    private mutating func remove(_ range: BatchRange) throws {
        try removeBatches(
            "origin = ? AND incarnation = ? AND topic = ? AND sequence <= ?",
            [
                range.origin, Int64(bitPattern: range.incarnation), Data(range.topic.bytes),
                Int64(clamping: range.through),
            ])
    }

    /// Removes the oldest batches until the others are within the limits.
    private mutating func prune(_ retention: BatchRetention) throws {
        let since = Int64(clamping: retention.writtenSinceMilliseconds)
        var rest = batchByteCount
        var last: Int64?
        let rows = try Row.fetchCursor(
            statement("SELECT row, length(payload), written FROM batch ORDER BY row"))
        while let row = try rows.next() {
            let (byteCount, written): (Int, Int64) = (row[1], row[2])
            guard rest > retention.byteCountMax || written < since else { break }
            rest -= byteCount
            last = row[0]
        }
        if let last { try removeBatches("row <= ?", [last]) }
    }

    private mutating func removeBatches(_ condition: String, _ arguments: StatementArguments) throws {
        let sum = try Int.fetchOne(
            database, sql: "SELECT coalesce(sum(length(payload)), 0) FROM batch WHERE \(condition)",
            arguments: arguments)
        try database.execute(sql: "DELETE FROM batch WHERE \(condition)", arguments: arguments)
        batchByteCount -= sum ?? 0
    }
}
