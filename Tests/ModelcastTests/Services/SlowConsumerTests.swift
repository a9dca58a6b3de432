import Dispatch
import ModelCache
import Modelcast
import Synchronization
import TestSupport
import Testing

/// Subscribers and observers that are slow, within one process. With processes of their own, and their memory measured:
/// see the tests of the command.
@Suite(.timeLimit(.minutes(15))) struct SlowConsumerTests {
    @Test func `a join takes one snapshot, also where little may wait for a subscriber`() async throws {
        // Two frames of the greatest size: far fewer than the chunks that a joining subscriber grants.
        let configure = { (configuration: inout PublisherConfiguration) in
            configuration.subscriberQueueByteCount = 2 << 20
        }
        try await withPair(configure: configure) { publisher, _ in
            let text = String(repeating: "x", count: 500)
            for number in 0..<20_000 { try publisher.merge("User", "\(number)", ["text": .text("\(number) \(text)")]) }
            let endpoint = try await publisher.boundEndpoints.control
            try await subscribing(to: [endpoint]) { late in
                try await late.waitUntilLive()
                #expect(late.cache.count(of: "User") == 20_000)
                #expect(late.status.counters[.snapshotsRequested] == 1)
                #expect(late.status.counters[.snapshotRecords] == 20_000)
                #expect(await becomeEqual(publisher, late))
            }
        }
    }

    @Test func `an observer that sleeps is told each model once, and the rest of the process goes on`() async throws {
        try await withPair { publisher, subscriber in
            for number in 0..<SlowConsumerTests.modelCount { try publisher.merge("User", "\(number)", ["n": 0]) }
            #expect(await becomeEqual(publisher, subscriber))
            let sleeper = Sleeper()
            let observation = subscriber.observe(.type("User"), on: DispatchQueue(label: "sleeper")) {
                sleeper.take($0)
            }
            #expect(await eventually { sleeper.initialCount == SlowConsumerTests.modelCount })
            let rounds = 40
            for round in 1...rounds {
                for number in 0..<SlowConsumerTests.modelCount {
                    try await publisher.waitingForRoom {
                        try publisher.merge("User", "\(number)", ["n": .int(Int64(round))])
                    }
                }
            }
            // Everything is applied while the observer sleeps: it holds up nobody.
            #expect(await becomeEqual(publisher, subscriber))
            #expect(sleeper.changeCount == 0)
            sleeper.wake()
            #expect(await eventually { sleeper.last.count == SlowConsumerTests.modelCount })
            #expect(await eventually { sleeper.last.values.allSatisfy { $0 == Int64(rounds) } })
            // What waited is bounded by the models, not by the 20,000 changes: at most the documented
            // max(4096, 2 × models), and what came as one commit before it was folded.
            #expect(sleeper.foldedCount > 0)
            #expect(sleeper.changeCount <= 2 * 4_096)
            #expect(sleeper.changeCount < rounds * SlowConsumerTests.modelCount)
            #expect(subscriber.status.counters[.holesFound] == 0)
            observation.cancel()
        }
    }

    private static let modelCount = 500
}

/// Falls asleep at the first change.
private final class Sleeper: Sendable {
    private struct State {
        var initialCount = 0
        var changeCount = 0
        var foldedCount = 0
        var last: [String: Int64] = [:]
    }

    private let state = Guarded(State())
    private let woken = DispatchSemaphore(value: 0)
    private let hasSlept = Atomic<Bool>(false)

    func wake() { woken.signal() }

    func take(_ changes: ChangeSet) {
        if changes.isInitial { return state.withLock { $0.initialCount += changes.count } }
        if !hasSlept.exchange(true, ordering: .relaxed) { woken.wait() }
        state.withLock { state in
            for change in changes {
                state.changeCount += 1
                if change.isFolded { state.foldedCount += 1 }
                state.last[change.id] = change.new?["n"]?.intValue
            }
        }
    }

    var initialCount: Int { state.withLock { $0.initialCount } }
    var changeCount: Int { state.withLock { $0.changeCount } }
    var foldedCount: Int { state.withLock { $0.foldedCount } }
    var last: [String: Int64] { state.withLock { $0.last } }
}
