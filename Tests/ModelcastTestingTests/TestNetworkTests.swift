import Modelcast
import ModelcastTesting
import TestSupport
import Testing

/// Whole services without a socket, as users test with them.
@Suite(.timeLimit(.minutes(2))) struct TestNetworkTests {
    @Test func `what a publisher writes is at its subscriber when the network has settled`() async throws {
        try await withPair { publisher, subscriber, network in
            for number in 0..<1_000 { _ = try publisher.merge("User", "\(number)", ["age": .int(Int64(number))]) }
            try await network.settle()
            #expect(subscriber.cache.count(of: "User") == 1_000)
            #expect(subscriber["User", "999"]?["age"] == 999)
        }
    }

    @Test(arguments: [1, 3, 100])
    func `batches that are lost are mended, wherever they are`(count: Int) async throws {
        try await withPair { publisher, subscriber, network in
            try network.lose(count, from: "publisher", to: "subscriber")
            for number in 0..<20 {
                _ = try publisher.merge("User", "\(number)", ["age": 1])
                try await network.settle()
            }
            #expect(subscriber.cache.count(of: "User") == 20)
            let found = subscriber.status.streams.map(\.holesFound).reduce(0, +)
            #expect(found > 0)
        }
    }

    @Test func `a subscriber that is cut off has nothing new, and everything when it is back`() async throws {
        try await withPair { publisher, subscriber, network in
            try network.cut(from: "publisher", to: "subscriber")
            _ = try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            #expect(subscriber["User", "1"] == nil)
            try await network.advance(by: .seconds(3))
            #expect(!subscriber.status.isLive)
            try network.mend(from: "publisher", to: "subscriber")
            try await network.settle()
            #expect(subscriber.status.isLive)
            #expect(subscriber["User", "1"]?["age"] == 1)
        }
    }

    @Test func `what is held comes when it is released, in its order`() async throws {
        try await withPair { publisher, subscriber, network in
            let recorder = ChangeRecorder(of: subscriber, .type("User"))
            try network.hold(from: "publisher", to: "subscriber")
            for age in 1...3 {
                _ = try publisher.merge("User", "1", ["age": .int(Int64(age))])
                try await network.settle()
            }
            #expect(recorder.take().isEmpty)
            try network.release(from: "publisher", to: "subscriber")
            try await network.settle()
            let told = recorder.take()
            #expect(told.last?.new?["age"] == 3)
            #expect(subscriber["User", "1"]?["age"] == 3)
        }
    }

    @Test func `a recorder has each change once`() async throws {
        try await withPair { publisher, subscriber, network in
            _ = try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            let recorder = ChangeRecorder(of: subscriber, .everything)
            #expect(recorder.take().map(\.isInitial) == [true])
            _ = try publisher.merge("User", "1", ["age": 2])
            _ = try publisher.merge("Team", "a", ["name": "x"])
            try await network.settle()
            #expect(recorder.take().map(\.id).sorted() == ["1", "a"])
            #expect(recorder.take().isEmpty)
        }
    }

    @Test func `through relays in a chain everything arrives, also what a job pushes`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher("accounts")
            _ = try await network.relay("near", of: ["accounts"])
            _ = try await network.relay("far", of: ["near"])
            let subscriber = try network.subscriber("billing", of: ["far"])
            _ = try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            #expect(subscriber["User", "1"]?["age"] == 1)
            let job = try network.job("import", pushingTo: ["near"])
            _ = try job.merge("Order", "7", ["total": 3])
            try await network.settle()
            #expect(subscriber["Order", "7"]?["total"] == 3)
            try await network.stop("import")
            #expect(subscriber["Order", "7"]?["total"] == 3)
        }
    }

    @Test func `behind a relay that has stopped everything arrives once it runs again`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher("accounts")
            _ = try await network.relay("near", of: ["accounts"])
            let subscriber = try network.subscriber("billing", of: ["near"])
            try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            try await network.stop("near")
            try publisher.merge("User", "1", ["age": 2])
            try publisher.merge("User", "2", ["age": 7])
            try await network.settle()
            #expect(subscriber["User", "1"]?["age"] == 1 && subscriber["User", "2"] == nil)
            let relay = try await network.relay("near", of: ["accounts"])
            try await network.settle()
            #expect(relay["User", "1"]?["age"] == 2)
            #expect(subscriber["User", "1"]?["age"] == 2 && subscriber["User", "2"]?["age"] == 7)
        }
    }

    @Test func `a publisher that starts anew is followed, and has its models where it has a store`() async throws {
        let folder = try TemporaryDirectory()
        try await withNetwork { network in
            let store = folder.path("accounts.db")
            var publisher = try await network.publisher("accounts") { $0.store = store }
            let subscriber = try network.subscriber("billing", of: ["accounts"])
            _ = try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            try await network.stop("accounts")
            publisher = try await network.publisher("accounts") { $0.store = store }
            #expect(publisher.cache["User", "1"]?["age"] == 1)
            _ = try publisher.merge("User", "1", ["age": 2])
            try await network.settle()
            #expect(subscriber["User", "1"]?["age"] == 2)
        }
    }

    @Test func `time passes for the services as far as a test lets it`() async throws {
        try await withPair { publisher, subscriber, network in
            let before = publisher.status.clockLead
            let heartbeats = subscriber.status.senders.first?.silent
            try await network.advance(by: .seconds(60))
            #expect(publisher.status.clockLead <= max(before, .seconds(1)))
            #expect(heartbeats ?? .zero < .seconds(1))
            #expect(subscriber.status.isLive)
            await #expect(throws: TestNetworkError.self) { try await network.advance(by: .seconds(3_600)) }
        }
    }

    @Test func `a deleted model is forgotten when its retention has passed`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher { $0.tombstoneRetention = .seconds(10) }
            let subscriber = try network.subscriber { $0.tombstoneRetention = .seconds(10) }
            _ = try publisher.merge("User", "1", ["age": 1])
            _ = try publisher.delete("User", "1")
            try await network.settle()
            #expect(subscriber.cache.record(type: "User", id: "1", includingTombstones: true) != nil)
            try await network.advance(by: .seconds(120))
            #expect(subscriber.cache.record(type: "User", id: "1", includingTombstones: true) == nil)
        }
    }

    @Test func `a name that is taken, or that nobody has, is told`() async throws {
        try await withPair { _, _, network in
            let taken = await #expect(throws: TestNetworkError.self) { try await network.publisher() }
            #expect(taken?.description.contains("publisher runs already") == true)
            let unknown = #expect(throws: TestNetworkError.self) { try network.cut(from: "nobody", to: "subscriber") }
            #expect(unknown?.description.contains("there are publisher, subscriber") == true)
            let reversed = #expect(throws: TestNetworkError.self) {
                try network.lose(1, from: "subscriber", to: "publisher")
            }
            #expect(reversed?.description.contains("write from: \"publisher\", to: \"subscriber\"") == true)
            _ = try network.subscriber("other", of: ["pubilsher"])
            let unheard = await #expect(throws: TestNetworkError.self) { try await network.settle() }
            #expect(unheard?.description.contains("no service of this name has run") == true)
            await #expect(throws: TestNetworkError.self) { try await network.stop("nobody") }
            await #expect(throws: ModelcastError.self) { try await network.publisher("a b") }
        }
    }

    @Test func `what a test throws comes out of it, and its services have stopped`() async throws {
        struct Mistake: Error {}
        var left: Subscriber?
        await #expect(throws: Mistake.self) {
            try await withPair { _, subscriber, _ in
                left = subscriber
                throw Mistake()
            }
        }
        let subscriber = try #require(left)
        await #expect(throws: ModelcastError.self) { try await subscriber.run() }
    }

    @Test func `many networks at once know nothing of each other`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    try await withPair { publisher, subscriber, network in
                        _ = try publisher.merge("User", "1", ["number": .int(Int64(number))])
                        try await network.settle()
                        #expect(subscriber["User", "1"]?["number"] == .int(Int64(number)))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
