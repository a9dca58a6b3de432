import HTTPTypes
import Hummingbird
import Synchronization
import Testing

@testable import ModelcastConsole

/// The requests that look at everything.
@Suite(.timeLimit(.minutes(1))) struct ScanQueueTests {
    /// How many scans run, and how many did at most.
    private final class Tally: Sendable {
        private let counts = Mutex((running: 0, most: 0))

        func begin() {
            counts.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
        }
        func end() { counts.withLock { $0.running -= 1 } }
        var most: Int { counts.withLock { $0.most } }
    }

    /// The status with which a scan is answered.
    private func status(
        _ queue: ScanQueue, while isConnected: @escaping @Sendable () -> Bool,
        _ scan: @escaping @Sendable (ScanQueue.IsWanted) -> Void
    ) async -> Int {
        do throws(Problem) {
            return try await queue.answer(while: isConnected) { isWanted throws(Problem) in
                scan(isWanted)
                return Response(status: .ok)
            }.status.code
        } catch {
            return error.status.code
        }
    }

    @Test func `one scan runs at a time, some wait, and more are told to come again`() async {
        let (queue, tally) = (ScanQueue(), Tally())
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await status(queue, while: { true }) { _ in
                        tally.begin()
                        tally.end()
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tally.most == 1 && statuses.count == 100)
        #expect(Set(statuses).isSubset(of: [200, 503]) && statuses.contains(200))
    }

    @Test func `nothing is made for a client that has gone, and what is being made for it ends`() async {
        let (queue, tally, looks) = (ScanQueue(), Tally(), Tally())
        let hasGone: @Sendable () -> Bool = { false }
        #expect(await status(queue, while: hasGone) { _ in tally.begin() } == 503)
        #expect(tally.most == 0)
        let isConnected: @Sendable () -> Bool = {
            looks.begin()
            return looks.most < 10
        }
        // Without an end, were it not asked.
        let scan: @Sendable (ScanQueue.IsWanted) -> Void = { isWanted in while isWanted() {} }
        #expect(await status(queue, while: isConnected, scan) == 200)
        #expect(looks.most == 10)
    }
}
