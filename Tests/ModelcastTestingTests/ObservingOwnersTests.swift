import Dispatch
import Modelcast
import ModelcastTesting
import Synchronization
import Testing

/// Observers of records that belong to an object, and tests that wait for what observers are told.
@Suite(.timeLimit(.minutes(2))) struct ObservingOwnersTests {
    /// What a view shows.
    @MainActor private final class Screen {
        var ages: [Value] = []
    }

    @MainActor private static func shows(_ ages: [Value], _ screen: Screen?) async -> Bool {
        for _ in 0..<1_000_000 where screen?.ages != ages { await Task.yield() }
        return screen?.ages == ages
    }

    @Test @MainActor func `an object of the main actor is told of records there, and is not kept alive`() async throws {
        try await withPair { publisher, subscriber, network in
            var screen: Screen? = Screen()
            weak let gone = screen
            let bound = try subscriber.observeOnMainActor(.type("User"), for: #require(screen)) { screen, set in
                screen.ages += set.compactMap { $0.new?["age"] }
            }
            let all = Screen()
            let free = subscriber.observeOnMainActor(.everything) { set in
                all.ages += set.compactMap { $0.new?["age"] }
            }
            _ = try publisher.merge("User", "1", ["age": 36])
            try await network.settle()
            #expect(await ObservingOwnersTests.shows([36], screen))
            screen = nil
            #expect(gone == nil)
            _ = try publisher.merge("User", "1", ["age": 37])
            try await network.settle()
            #expect(await ObservingOwnersTests.shows([36, 37], all))
            for observation in [bound, free] { observation.cancel() }
        }
    }

    /// How many changes an owner was told.
    private final class ChangeCount: Sendable {
        let count = Atomic(0)
    }

    /// A service that counts on a queue of its own.
    private final class Counter: Sendable {
        let told = ChangeCount()
    }

    @Test func `an owner that is gone is told no more on its queue`() async throws {
        try await withPair { publisher, subscriber, network in
            let queue = DispatchQueue(label: "owner")
            var counter: Counter? = Counter()
            weak let gone = counter
            let told = try #require(counter?.told)
            let observation = try subscriber.observe(.type("User"), for: #require(counter), on: queue) { owner, set in
                owner.told.count.wrappingAdd(set.count, ordering: .relaxed)
            }
            _ = try publisher.merge("User", "1", ["age": 36])
            try await network.settle()
            for _ in 0..<1_000_000 where told.count.load(ordering: .relaxed) == 0 { await Task.yield() }
            #expect(told.count.load(ordering: .relaxed) == 1)
            queue.sync {}
            counter = nil
            #expect(gone == nil)
            _ = try publisher.merge("User", "1", ["age": 37])
            try await network.settle()
            queue.sync {}
            #expect(told.count.load(ordering: .relaxed) == 1)
            observation.cancel()
        }
    }

    @Test func `a recorder waits for changes that come in their own time, and says how many came where they do not`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            let recorder = ChangeRecorder(of: subscriber, .type("User"))
            let writing = Task {
                for age in 0..<3 {
                    _ = try publisher.merge("User", "\(age)", ["age": .int(Int64(age))])
                    try await network.settle()
                }
            }
            #expect(try await recorder.take(atLeast: 3).compactMap { $0.new?["age"] } == [0, 1, 2])
            try await writing.value
            _ = try publisher.merge("User", "9", ["age": 9])
            try await network.settle()
            let error = await #expect(throws: TestNetworkError.self) {
                _ = try await recorder.take(atLeast: 2, within: .milliseconds(50))
            }
            #expect(error?.description == "the observer was told 1 of 2 changes in 0.05 seconds")
            #expect(recorder.take().map(\.id) == ["9"])
        }
    }
}
