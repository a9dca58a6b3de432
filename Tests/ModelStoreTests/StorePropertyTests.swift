import Foundation
import ModelRecord
import ModelStore
import TestSupport
import Testing

@Suite struct `StorePropertyTests` {
    @Test func `any changes leave what a dictionary would hold, also after opening it again`() {
        forEachSeed(50) { seed, generator in
            let directory = try TemporaryDirectory()
            let path = directory.path("a.store")
            var store = try Store.open(path: path)
            var expected = StoreContents()
            for step in 0..<30 {
                let changes = try StoreChanges.random(using: &generator)
                try store.write(changes, durably: Int.random(in: 0..<10, using: &generator) == 0)
                expected.apply(changes)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0:
                    try store.close()
                    store = try Store.open(path: path)
                    guard store.openReport.wasClosed else { throw CaseFailure("step \(step): it was closed") }
                case 1:
                    // Released without being closed, as by a crash.
                    store = try reopened(&store, path)
                    guard !store.openReport.wasClosed else { throw CaseFailure("step \(step): nobody closed it") }
                default: break
                }
                try StoreContents(store).demandEqual(to: expected, "step \(step)")
                let sum = expected.batches.reduce(0) { $0 + $1.payload.count }
                guard store.ringByteCount == sum else { throw CaseFailure("step \(step): the ring's bytes") }
            }
        }
    }

    /// Copies the file as it is and opens the copy in place of the original.
    private func reopened(_ store: inout Store, _ path: String) throws -> Store {
        let files = FileManager.default
        for suffix in ["", "-wal", "-mark"] {
            try? files.removeItem(atPath: path + ".copy" + suffix)
            try files.copyItem(atPath: path + suffix, toPath: path + ".copy" + suffix)
        }
        try store.close()
        for suffix in ["", "-wal", "-mark"] {
            try? files.removeItem(atPath: path + suffix)
            try files.moveItem(atPath: path + ".copy" + suffix, toPath: path + suffix)
        }
        return try Store.open(path: path)
    }

    @Test func `a batch that waits for the end of a flush is taken away by what was noted meanwhile`() throws {
        for round in 0..<50 {
            let directory = try TemporaryDirectory()
            let path = directory.path("a.store")
            // Many transactions, between which commits pass.
            let settings = WriteBehindConfiguration(flushInterval: .seconds(60), transactionModelCount: 1)
            let queue = WriteBehind(try Store.open(path: path), configuration: settings)
            var first = StoreChanges.batch(1)
            for id in 0..<40 { first.upsert(try .made("\(id)"), type: "User") }
            queue.note(first)
            queue.flush { error in #expect(error == nil) }
            var removal = StoreChanges()
            removal.removedBatches = [BatchRange(origin: "o", incarnation: 1, topic: .users, through: 1)]
            queue.note(removal)
            // It takes what was noted along, and passes.
            queue.commit(.batch(2)) { error in #expect(error == nil) }
            try queue.close(within: .seconds(30))
            let batches = try StoreContents(try Store.open(path: path)).batches
            #expect(batches.map(\.sequence) == [2], "round \(round)")
        }
    }

    @Test func `a queue in front of it leaves the same as writing at once`() {
        forEachSeed(100) { _, generator in
            let directory = try TemporaryDirectory()
            let path = directory.path("a.store")
            var settings = WriteBehindConfiguration(flushInterval: .milliseconds(1), transactionModelCount: 3)
            settings.flushModelCount = Int.random(in: 1...20, using: &generator)
            let queue = WriteBehind(try Store.open(path: path), configuration: settings)
            var expected = StoreContents()
            for _ in 0..<40 {
                let changes = try StoreChanges.random(using: &generator)
                expected.apply(changes)
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    queue.commit(changes) { error in #expect(error == nil) }
                } else {
                    queue.note(changes)
                }
                if Int.random(in: 0..<10, using: &generator) == 0 { try queue.flush(within: .seconds(30)) }
            }
            try queue.close(within: .seconds(30))
            let store = try Store.open(path: path)
            guard store.openReport.wasClosed, store.openReport.isWhole else { throw CaseFailure("not closed well") }
            try StoreContents(store).demandEqual(to: expected)
        }
    }

    @Test func `a log that is cut anywhere leaves the state between two writes`() {
        forEachSeed(100) { _, generator in
            let directory = try TemporaryDirectory()
            let path = directory.path("a.store")
            let store = try Store.open(path: path)
            var state = StoreContents()
            var states: Set<StoreContents> = [state]
            for _ in 0..<10 {
                let changes = try StoreChanges.random(using: &generator)
                try store.write(changes, durably: Bool.random(using: &generator))
                state.apply(changes)
                states.insert(state)
            }
            let torn = directory.path("torn.store")
            try FileManager.default.copyItem(atPath: path, toPath: torn)
            var log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
            log.removeLast(Int.random(in: 0...log.count, using: &generator))
            // The sector that was being written may hold anything.
            for index in log.indices.suffix(Int.random(in: 0...512, using: &generator)) {
                log[index] = .random(in: 0...255, using: &generator)
            }
            try log.write(to: URL(fileURLWithPath: torn + "-wal"))
            let opened = try Store.open(path: torn)
            guard opened.openReport.setAside == nil else { throw CaseFailure("set aside: \(opened.openReport)") }
            let found = try StoreContents(opened)
            guard states.contains(found) else { throw CaseFailure("what it holds was never written as a whole") }
        }
    }
}
