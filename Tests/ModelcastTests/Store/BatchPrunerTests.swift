import ModelSync
import TestSupport
import Testing

@testable import ModelStore
@testable import Modelcast

/// When stored batches go.
@Suite(.timeLimit(.minutes(15))) struct BatchPrunerTests {
    private let folder: TemporaryDirectory
    private let topic = Topic.data(type: "User")

    init() throws { folder = try TemporaryDirectory() }

    private func batch(_ sequence: UInt64) -> StoredBatch {
        StoredBatch(
            origin: "job", incarnation: 1, topic: topic, sequence: sequence, writtenMilliseconds: 0, payload: [1])
    }

    private func byteCount(_ store: WriteBehind) throws -> Int {
        try store.read(within: .seconds(30)) { store throws(StoreError) in store.ringByteCount }
    }

    @Test func `what may go goes two flushes after that was seen, and the rest stays`() throws {
        let store = WriteBehind(try Store.open(path: folder.path("store")), configuration: .never)
        var changes = StoreChanges()
        changes.batches = (1...10).map(batch)
        try store.commit(changes, within: .seconds(30))
        var pruner = BatchPruner([])
        for batch in changes.batches { pruner.note(batch) }
        func step(_ mayGo: UInt64) throws {
            pruner.step(store) { _ in mayGo }
            try store.flush(within: .seconds(30))
        }
        for _ in 0..<2 {
            try step(5)
            #expect(try byteCount(store) == 10)
        }
        for _ in 0..<4 { try step(5) }
        #expect(try byteCount(store) == 5)
        for _ in 0..<6 { try step(.max) }
        #expect(try byteCount(store) == 0)
        try store.close(within: .seconds(30))
    }

    @Test func `of names that are forgotten it lets go itself`() throws {
        let store = WriteBehind(try Store.open(path: folder.path("store")), configuration: .never)
        var changes = StoreChanges()
        changes.batches = (1...10).map(batch)
        try store.commit(changes, within: .seconds(30))
        var pruner = BatchPruner(changes.batches)
        pruner.forget(["job"])
        var isAsked = false
        for _ in 0..<4 {
            pruner.step(store) { _ in
                isAsked = true
                return .max
            }
            try store.flush(within: .seconds(30))
        }
        #expect(!isAsked)
        #expect(try byteCount(store) == 10)
        try store.close(within: .seconds(30))
    }
}
