import Foundation
import ModelCBOR
@_spi(RecordWriting) import ModelRecord
import ModelStore
import ModelWire
import TestSupport

extension CellRecord {
    /// A record of one model: its cells all have this stamp. Without fields it is a tombstone.
    static func made(
        _ id: String, _ fields: [String: Value]? = ["name": "x"], stamp: UInt64 = 1, origin: String = "o"
    ) throws -> CellRecord {
        var writer = CBORWriter()
        writer.writeArrayHead(4)
        writer.write(text: id)
        let version = Value.array([.int(Int64(stamp)), .text(origin)])
        if fields == nil { writer.write(version) } else { writer.writeNull() }
        if fields == nil { writer.writeNull() } else { writer.write(version) }
        writer.writeMapHead(fields?.count ?? 0)
        for (name, value) in fields ?? [:] {
            writer.write(text: name)
            writer.write(.array([value, .int(Int64(stamp)), .text(origin)]))
        }
        var reader = CBORReader(writer.bytes.span)
        return try CellRecord(reading: &reader)
    }
}

extension StoreChanges {
    init(_ build: (inout StoreChanges) throws -> Void) rethrows {
        self.init()
        try build(&self)
    }

    /// So many records of three kilobytes each.
    static func manyUsers(_ count: Int) throws -> StoreChanges {
        try StoreChanges { changes in
            for id in 1...count {
                changes.upsert(try .made("\(id)", ["f": .bytes(Array(repeating: 7, count: 3000))]), type: "User")
            }
        }
    }

    static func batch(_ sequence: UInt64, topic: Topic = .users, byteCount: Int = 100) -> StoreChanges {
        StoreChanges { $0.batches = [.made(sequence, topic: topic, byteCount: byteCount)] }
    }
}

extension Topic {
    static let users = Topic.data(type: "User")
}

extension StoredBatch {
    static func made(
        _ sequence: UInt64, topic: Topic = .users, origin: String = "o", incarnation: UInt64 = 1,
        writtenMilliseconds: UInt64 = 0, byteCount: Int = 100
    ) -> StoredBatch {
        StoredBatch(
            origin: origin, incarnation: incarnation, topic: topic, sequence: sequence,
            writtenMilliseconds: writtenMilliseconds,
            payload: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &+ Int(sequence)) })
    }
}

/// All that a store holds, for comparisons.
struct StoreContents: Hashable {
    var records: [String: [String: CellRecord]] = [:]
    var heads: Set<StoredHead> = []
    var origins: Set<StoredOrigin> = []
    var facts: [String: [UInt8]] = [:]
    var batches: Set<StoredBatch> = []

    init() {}

    init(_ store: Store) throws {
        var records: [String: [String: CellRecord]] = [:]
        try store.forEachRecord { type, record in records[type, default: [:]][record.id] = record }
        self.records = records
        heads = Set(try store.heads())
        origins = Set(try store.origins())
        facts = try store.facts().values.filter { !$0.key.hasPrefix("store.") }
        var batches: Set<StoredBatch> = []
        try store.forEachBatch { batch in batches.insert(batch).inserted }
        self.batches = batches
    }

    /// Throws where `other` differs, naming what does, but not all that they hold.
    func demandEqual(to other: StoreContents, _ place: String = "") throws {
        var parts: [String] = []
        for type in Set(records.keys).union(other.records.keys).sorted() {
            let (mine, theirs) = (records[type] ?? [:], other.records[type] ?? [:])
            parts += Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.map { "\(type) \($0)" }
        }
        parts += heads.symmetricDifference(other.heads).map { "\($0)" }
        parts += origins.symmetricDifference(other.origins).map { "\($0)" }
        if facts != other.facts { parts.append("facts \(facts), \(other.facts)") }
        parts += batches.symmetricDifference(other.batches).map {
            "\(batches.contains($0) ? "more" : "less"): \($0.origin) \($0.incarnation) \($0.topic) \($0.sequence)"
        }
        guard parts.isEmpty else { throw CaseFailure("\(place) " + parts.joined(separator: ", ")) }
    }

    /// The same as a store does, on a dictionary.
    mutating func apply(_ changes: StoreChanges) {
        for origin in changes.removedOrigins {
            heads = heads.filter { $0.origin != origin }
            origins = origins.filter { $0.name != origin }
            batches = batches.filter { $0.origin != origin }
        }
        for row in changes.records { records[row.type, default: [:]][row.record.id] = row.record }
        for row in changes.removedRecords { records[row.type]?[row.record.id] = nil }
        records = records.filter { !$0.value.isEmpty }
        for head in changes.heads {
            heads = heads.filter { $0.origin != head.origin || $0.topic != head.topic }
            heads.insert(head)
        }
        for origin in changes.origins {
            origins = origins.filter { $0.name != origin.name }
            origins.insert(origin)
        }
        facts.merge(changes.facts.values) { $1 }
        for range in changes.removedBatches {
            batches = batches.filter {
                $0.origin != range.origin || $0.incarnation != range.incarnation || $0.topic != range.topic
                    || $0.sequence > range.through
            }
        }
        for batch in changes.batches where !batches.contains(where: { $0.isSame(batch) }) { batches.insert(batch) }
    }
}

extension StoredBatch {
    fileprivate func isSame(_ other: StoredBatch) -> Bool {
        origin == other.origin && incarnation == other.incarnation && topic == other.topic
            && sequence == other.sequence
    }
}

extension StoreChanges {
    /// A few changes of a few models.
    static func random(using generator: inout SeededGenerator) throws -> StoreChanges {
        func pick(_ names: [String], _ generator: inout SeededGenerator) -> String {
            names[Int.random(in: 0..<names.count, using: &generator)]
        }
        var changes = StoreChanges()
        let (types, origins) = (["User", "Order", "Price"], ["a", "b"])
        if Int.random(in: 0..<12, using: &generator) == 0 { changes.removedOrigins = [pick(origins, &generator)] }
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            let record = try CellRecord.made(
                "id-\(Int.random(in: 0..<20, using: &generator))",
                Bool.random(using: &generator) ? ["f": .random(depth: 2, using: &generator)] : nil,
                stamp: .random(in: 1...1_000_000, using: &generator))
            changes.upsert(record, type: pick(types, &generator))
        }
        // A model is in one of the two lists only: their order among each other is not the store's to know.
        let named = Set(changes.records.map { $0.type + $0.record.id })
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let type = pick(types, &generator)
            let tombstone = try CellRecord.made("id-\(Int.random(in: 0..<20, using: &generator))", nil)
            if !named.contains(type + tombstone.id) { changes.remove(tombstone, type: type) }
        }
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            let origin = pick(origins, &generator)
            let topic = Topic.data(type: pick(types, &generator))
            let sequence = UInt64.random(in: 1...30, using: &generator)
            let incarnation = UInt64.random(in: 1...2, using: &generator)
            changes.heads.append(
                StoredHead(origin: origin, topic: topic, incarnation: incarnation, sequence: sequence))
            changes.origins.append(
                StoredOrigin(name: origin, incarnation: incarnation, stamp: .random(in: 0 ... .max, using: &generator)))
            changes.facts[pick(["one", "two"], &generator)] = [UInt8(truncatingIfNeeded: sequence)]
            changes.batches.append(
                .made(sequence, topic: topic, origin: origin, incarnation: incarnation, byteCount: Int(sequence) * 10))
            if Bool.random(using: &generator) {
                changes.removedBatches.append(
                    BatchRange(
                        origin: origin, incarnation: incarnation, topic: topic,
                        through: .random(in: 0...20, using: &generator)))
            }
        }
        return changes
    }
}

/// The error that `body` throws, if it is a store's.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}
