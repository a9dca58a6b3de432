import Foundation
import GRDB
import ModelWire

extension Store {
    /// All heads, ordered by origin and topic. Damaged rows are skipped and added to ``damagedRows``.
    public func heads() throws(StoreError) -> [StoredHead] {
        var heads: [StoredHead] = []
        try forEachRow(of: .head, sql: "SELECT origin, topic, incarnation, sequence, sum FROM head") { row in
            let head = try StoredHead(
                origin: row.text(0), topic: Topic(bytes: row.bytes(1)), incarnation: row.number(2),
                sequence: row.number(3))
            return (head, head.sum)
        } body: { head in
            heads.append(head)
            return true
        }
        return heads
    }

    /// All origins, ordered by name. Damaged rows are skipped and added to ``damagedRows``.
    public func origins() throws(StoreError) -> [StoredOrigin] {
        var origins: [StoredOrigin] = []
        try forEachRow(of: .origin, sql: "SELECT name, incarnation, stamp, sum FROM origin") { row in
            let origin = try StoredOrigin(name: row.text(0), incarnation: row.number(1), stamp: row.number(2))
            return (origin, origin.sum)
        } body: { origin in
            origins.append(origin)
            return true
        }
        return origins
    }

    /// All facts. Damaged rows are skipped and added to ``damagedRows``.
    public func facts() throws(StoreError) -> StoreFacts {
        var facts = StoreFacts()
        try forEachRow(of: .fact, sql: "SELECT name, value, sum FROM fact") { row in
            let (name, value) = try (row.text(0), row.bytes(1))
            return ((name, value), RowSum.fact(name, value))
        } body: { fact in
            facts[fact.0] = fact.1
            return true
        }
        return facts
    }

    /// Calls `body` with all batches of the ring, the oldest first: for a restart.
    ///
    /// The batches of one topic come in the order of their sequences, as they were appended in that order. Damaged rows
    /// are skipped and added to ``damagedRows``.
    /// - Parameter body: returns false to end the walk. May not use the store.
    public func forEachBatch(_ body: (StoredBatch) -> Bool) throws(StoreError) {
        let sql = "SELECT origin, incarnation, topic, sequence, written, payload, sum FROM batch ORDER BY row"
        try forEachRow(of: .batch, sql: sql) { row in
            let batch = try StoredBatch(
                origin: row.text(0), incarnation: row.number(1), topic: Topic(bytes: row.bytes(2)),
                sequence: row.number(3), writtenMilliseconds: row.number(4), payload: row.bytes(5))
            return (batch, batch.sum)
        } body: {
            body($0)
        }
    }

    /// The sum of the payloads of the ring, in bytes.
    public var ringByteCount: Int { batchByteCount }

    /// Calls `body` with the rows whose checksums are right, and notes the others as damaged.
    /// - Parameters:
    ///   - sql: the query, whose last column is the checksum.
    ///   - make: makes a value of a row, and the checksum of that value.
    ///   - body: returns false to end the walk.
    private func forEachRow<Element>(
        of table: DamagedRow.Table, sql: String, _ make: (Row) throws -> (Element, Int64),
        body: (Element) -> Bool
    ) throws(StoreError) {
        forgetDamage(of: table)
        let damaged = try run("reading the rows of each \(table.rawValue)") { database in
            var damaged: [DamagedRow] = []
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                if let (element, sum) = try? make(row), Int64.fromDatabaseValue(row[row.count - 1]) == sum {
                    guard body(element) else { break }
                } else {
                    damaged.append(DamagedRow(table, row))
                }
            }
            return damaged
        }
        note(damaged)
    }
}

extension DamagedRow {
    /// Names the row by what can be read of its key.
    init(_ table: Table, _ row: Row) {
        self.table = table
        let text = (try? row.text(0)) ?? "?"
        let topic = (try? row.bytes(table == .head ? 1 : 2)).map { Topic(bytes: $0) }
        switch table {
        case .type, .origin, .fact: key = text
        case .head:
            key = "\(text) \(topic.map { "\($0)" } ?? "?")"
            type = topic?.type
        case .batch:
            let sequence = (try? row.number(3)).map { "\($0)" } ?? "?"
            key = "\(text) \(topic.map { "\($0)" } ?? "?") \(sequence)"
            type = topic?.type
        }
    }
}
