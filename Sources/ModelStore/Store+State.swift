import Foundation
import GRDB
import ModelWire

extension Store {
    /// All heads, ordered by origin and topic.
    public func heads() throws(StoreError) -> [StoredHead] {
        try run("reading heads") { database in
            try Row.fetchAll(database, sql: "SELECT origin, topic, incarnation, sequence FROM head").map { row in
                StoredHead(
                    origin: row[0], topic: Topic(bytes: [UInt8](row[1] as Data)),
                    incarnation: UInt64(bitPattern: row[2]), sequence: UInt64(bitPattern: row[3]))
            }
        }
    }

    /// What is known of origins, ordered by name.
    public func origins() throws(StoreError) -> [StoredOrigin] {
        try run("reading origins") { database in
            try Row.fetchAll(database, sql: "SELECT name, incarnation, stamp FROM origin").map { row in
                StoredOrigin(
                    name: row[0], incarnation: UInt64(bitPattern: row[1]), stamp: UInt64(bitPattern: row[2]))
            }
        }
    }

    /// All facts.
    public func facts() throws(StoreError) -> StoreFacts {
        try run("reading facts") { database in
            var facts = StoreFacts()
            for row in try Row.fetchAll(database, sql: "SELECT name, value FROM fact") {
                facts[row[0]] = [UInt8](row[1] as Data)
            }
            return facts
        }
    }

    /// Hands out the whole ring, the oldest batch first: for a restart.
    ///
    /// The batches of one topic come in the order of their sequences, as they were appended so.
    /// - Parameter body: returns false when it has seen enough. May not use the store.
    public func forEachBatch(_ body: (StoredBatch) -> Bool) throws(StoreError) {
        try run("reading batches") { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT \(Store.batchColumns) FROM batch ORDER BY row")
            while let row = try rows.next(), body(Store.batch(of: row)) {}
        }
    }

    /// What the payloads of the ring take together.
    public var ringByteCount: Int { batchByteCount }

    private static let batchColumns = "origin, incarnation, topic, sequence, written, payload"

    private static func batch(of row: Row) -> StoredBatch {
        StoredBatch(
            origin: row[0], incarnation: UInt64(bitPattern: row[1]), topic: Topic(bytes: [UInt8](row[2] as Data)),
            sequence: UInt64(bitPattern: row[3]), writtenMilliseconds: UInt64(bitPattern: row[4]),
            payload: [UInt8](row[5] as Data))
    }
}
