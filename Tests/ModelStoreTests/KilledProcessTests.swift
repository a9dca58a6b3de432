import Foundation
import ModelRecord
import ModelStore
import Synchronization
import TestSupport
import Testing

@Suite struct `A process that is killed` {
    @Test(arguments: [1, 40, 300, 1000])
    func `leaves every batch that it was told is durable`(acknowledged: Int) async throws {
        let directory = try TemporaryDirectory()
        let (path, list) = (directory.path("a.store"), directory.path("acknowledged"))
        #expect(FileManager.default.createFile(atPath: list, contents: nil))
        // Twice: the second process starts on what the first has left.
        for round in 0..<2 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, list = list as String, acknowledged = acknowledged as Int, round = round as Int]
                in
                try CommittingProcess(list: list, killedAfter: acknowledged).run(path: path, from: round * 1_000_000)
            }
        }
        let words = try String(contentsOf: URL(fileURLWithPath: list), encoding: .utf8)
        let told = Set(words.split(separator: "\n").compactMap { UInt64($0) })
        #expect(told.count >= 2 * acknowledged)
        let store = try Store.open(path: path, configuration: StoreConfiguration(check: .always))
        #expect(store.openReport.setAside == nil)
        #expect(!store.openReport.wasClosed)
        let found = try StoreContents(store)
        let sequences = Set(found.batches.map(\.sequence))
        #expect(told.subtracting(sequences) == [])
        #expect(found.batches.allSatisfy { $0 == .made($0.sequence, byteCount: 500) })
        // A head was committed with its batch: it is not there without.
        #expect(!found.heads.isEmpty)
        #expect(found.heads.allSatisfy { sequences.contains($0.sequence) })
    }
}

/// What the child does: commits batch after batch, eight at a time, lists those that it was told are durable, and is
/// killed by a thread of its own that knows nothing of what the others are doing.
private final class CommittingProcess: Sendable {
    private let list: FileHandle
    private let killedAfter: Int
    private let told = Atomic<Int>(0)

    init(list: String, killedAfter: Int) throws {
        self.list = try FileHandle(forWritingTo: URL(fileURLWithPath: list))
        try self.list.seekToEnd()
        self.killedAfter = killedAfter
    }

    func run(path: String, from first: Int) throws {
        let settings = WriteBehindConfiguration(flushInterval: .milliseconds(3))
        let queue = WriteBehind(try Store.open(path: path), configuration: settings)
        Thread {
            let deadline = ContinuousClock.now + .seconds(60)
            while self.told.load(ordering: .relaxed) < self.killedAfter, ContinuousClock.now < deadline {}
            kill(getpid(), SIGKILL)
        }.start()
        let room = DispatchSemaphore(value: 8)
        for number in 1... {
            let sequence = UInt64(first + number)
            queue.note(try CellRecord.made("\(number % 50)", stamp: sequence), type: "User")
            guard room.wait(timeout: .now() + 60) == .success else { return }
            queue.commit(
                StoreChanges {
                    $0.batches = [.made(sequence, byteCount: 500)]
                    $0.heads = [StoredHead(origin: "o", topic: .users, incarnation: 1, sequence: sequence)]
                }
            ) { error in
                if error == nil {
                    try? self.list.write(contentsOf: Data("\(sequence)\n".utf8))
                    self.told.add(1, ordering: .relaxed)
                }
                room.signal()
            }
        }
    }
}
