import Foundation
import ModelRecord
import ModelStore
import ModelWire
import TestSupport
import Testing

@Suite struct `A store` {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("a.store") }

    init() throws { directory = try TemporaryDirectory() }

    @Test func `what was written is there after opening it again, byte for byte`() throws {
        let user = try CellRecord.made("1", ["name": "Ada", "tags": ["x", .null]], stamp: 7)
        let gone = try CellRecord.made("2", nil, stamp: 9)
        let head = StoredHead(origin: "o", topic: .users, incarnation: .max - 1, sequence: 42)
        let origin = StoredOrigin(name: "o", incarnation: .max - 1, stamp: .max)
        let store = try Store.open(path: path)
        try store.write(
            StoreChanges {
                $0.upsert(user, type: "User")
                $0.upsert(gone, type: "User")
                $0.upsert(user, type: "Order")
                $0.heads = [head]
                $0.origins = [origin]
                $0.facts["mine"] = [1, 2, 3]
                $0.batches = [.made(3)]
            }, durably: true)
        try store.close()

        let again = try Store.open(path: path)
        #expect(again.openReport.result == .opened)
        #expect(again.openReport.wasClosed && again.openReport.isWhole)
        let contents = try StoreContents(again)
        #expect(contents.records == ["User": ["1": user, "2": gone], "Order": ["1": user]])
        #expect(contents.heads == [head])
        #expect(contents.origins == [origin])
        #expect(contents.facts == ["mine": [1, 2, 3]])
        #expect(contents.batches == [.made(3)])
        #expect(try again.record(type: "User", id: "1") == user)
        #expect(try again.record(type: "User", id: "3") == nil)
        #expect(try again.record(type: "Unheard", id: "1") == nil)
        #expect(try again.recordCounts() == ["User": 2, "Order": 1])
    }

    @Test func `a record that is larger than any message is there after opening it again, byte for byte`() throws {
        // Two publishers have written a field each.
        let parts = try ["a", "b"].map { origin in
            try CellRecord.made("large", [origin: .bytes(Array(repeating: 7, count: 600_000))], origin: origin)
        }
        let large = try #require(CellRecord.joining(parts: parts))
        #expect(large.cellCount == 2)
        #expect(large.byteCount > WireLimits.default.frameByteCount)
        let (before, after) = (try CellRecord.made("before"), try CellRecord.made("after"))
        let store = try Store.open(path: path)
        try store.write(
            StoreChanges { changes in
                for record in [before, large, after] { changes.upsert(record, type: "User") }
            }, durably: true)
        try store.close()

        let again = try Store.open(path: path)
        #expect(again.openReport.result == .opened)
        #expect(again.openReport.isWhole)
        // Compared here, as a failure would else show all the bytes.
        let records = try StoreContents(again).records["User"] ?? [:]
        #expect(records.keys.sorted() == ["after", "before", "large"])
        let isEqual = records == ["before": before, "large": large, "after": after]
        #expect(isEqual)
        let alone = try again.record(type: "User", id: "large")
        #expect(alone?.digest == large.digest)
        let isSame = alone == large
        #expect(isSame)
    }

    @Test func `a newer record takes the row of the older one, and a removal ends it`() throws {
        let store = try Store.open(path: path)
        let (old, new) = (try CellRecord.made("1", stamp: 1), try CellRecord.made("1", stamp: 2))
        try store.write(StoreChanges { $0.upsert(old, type: "User") }, durably: false)
        try store.write(StoreChanges { $0.upsert(new, type: "User") }, durably: false)
        #expect(try StoreContents(store).records == ["User": ["1": new]])
        try store.write(StoreChanges { $0.remove(new, type: "User") }, durably: false)
        #expect(try StoreContents(store).records.isEmpty)
    }

    @Test func `the records of one type are read without the others`() throws {
        let store = try Store.open(path: path)
        let record = try CellRecord.made("1")
        try store.write(
            StoreChanges {
                $0.upsert(record, type: "User")
                $0.upsert(record, type: "Order")
            }, durably: false)
        var types: [String] = []
        let report = try store.forEachRecord(type: "Order") { type, _ in types.append(type) }
        #expect(types == ["Order"])
        #expect(report.recordCount == 1)
        #expect(try store.forEachRecord(type: "None") { _, _ in }.recordCount == 0)
    }

    @Test func `facts keep the name, the prefixes and the last moment alive`() throws {
        let store = try Store.open(path: path)
        #expect(try store.facts().ownName == nil)
        #expect(try store.facts().prefixes == nil)
        #expect(try store.facts().absence(until: 9) == nil)
        try store.write(
            StoreChanges {
                $0.facts.ownName = "users"
                $0.facts.prefixes = [.users, Topic(bytes: [0, 0xFF])]
                $0.facts.aliveMilliseconds = 1000
            }, durably: false)
        let facts = try store.facts()
        #expect(facts.ownName == "users")
        #expect(facts.prefixes == [.users, Topic(bytes: [0, 0xFF])])
        #expect(facts.absence(until: 3500) == .milliseconds(2500))
        #expect(facts.absence(until: 500) == .zero)
    }

    @Test func `a copy covers what lies below its prefixes, and nothing beside them`() {
        var facts = StoreFacts()
        #expect(!facts.covers([.users]))
        #expect(facts.covers([]))
        facts.prefixes = [.users]
        #expect(facts.covers([.users, .data(type: "User", partitions: .sixteen, bucket: 0xA0)]))
        #expect(!facts.covers([.users, .data(type: "Order")]))
        #expect(!facts.covers([.dataPrefix]))
        facts.prefixes = [.dataPrefix]
        #expect(facts.covers([.dataPrefix, .users]))
    }

    @Test func `a closed store says so, and may be closed again`() throws {
        let store = try Store.open(path: path)
        try store.close()
        try store.close()
        #expect(storeError { try store.write(.batch(1), durably: false) }?.code == .closed)
        #expect(storeError { _ = try store.heads() }?.code == .closed)
    }
}

@Suite struct `The ring of batches` {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func sequences(_ store: Store) throws -> [UInt64] {
        try StoreContents(store).batches.map(\.sequence).sorted()
    }

    @Test func `a batch that is there already stays as it is`() throws {
        let store = try Store.open(path: directory.path("a.store"))
        try store.write(.batch(1, byteCount: 10), durably: false)
        try store.write(.batch(1, byteCount: 20), durably: false)
        #expect(store.ringByteCount == 10)
        #expect(try StoreContents(store).batches == [.made(1, byteCount: 10)])
    }

    @Test func `the oldest go first, by bytes and by age`() throws {
        let path = directory.path("a.store")
        let store = try Store.open(path: path)
        let batches = (1...10).map { StoredBatch.made($0, writtenMilliseconds: $0 * 1000) }
        try store.write(StoreChanges { $0.batches = batches }, durably: false)
        #expect(store.ringByteCount == 1000)
        try store.write(StoreChanges { $0.retention = BatchRetention(byteCountMax: 750) }, durably: false)
        #expect(store.ringByteCount == 700)
        #expect(try sequences(store) == Array(4...10))
        try store.write(
            StoreChanges { $0.retention = BatchRetention(byteCountMax: .max, writtenSinceMilliseconds: 9000) },
            durably: false)
        #expect(try sequences(store) == [9, 10])
        try store.close()
        #expect(try Store.open(path: path).ringByteCount == 200)
    }

    @Test func `acknowledged batches and forgotten origins take their bytes with them`() throws {
        let store = try Store.open(path: directory.path("a.store"))
        try store.write(
            StoreChanges { $0.batches = (1...5).map { .made($0) } + (1...3).map { .made($0, origin: "p") } },
            durably: false)
        try store.write(
            StoreChanges {
                $0.removedBatches = [BatchRange(origin: "o", incarnation: 1, topic: .users, through: 2)]
                $0.removedOrigins = ["p"]
            }, durably: false)
        #expect(store.ringByteCount == 300)
        try store.write(
            StoreChanges {
                $0.removedBatches = [BatchRange(origin: "o", incarnation: 1, topic: .users, through: .max)]
            }, durably: false)
        #expect(store.ringByteCount == 0)
        #expect(try StoreContents(store).batches.isEmpty)
    }
}
