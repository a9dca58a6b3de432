import Modelcast
import ModelcastTesting
import TestSupport
import Testing

/// Models that several publishers write, and reads of what was just written.
@Suite(.timeLimit(.minutes(2))) struct JointModelsTests {
    private func withWriters(
        _ body: (Publisher, Publisher, Subscriber, TestNetwork) async throws -> Void
    ) async throws {
        try await withNetwork { network in
            let (first, second) = (try await network.publisher("first"), try await network.publisher("second"))
            let subscriber = try network.subscriber(of: ["first", "second"])
            try await network.settle()
            try await body(first, second, subscriber, network)
        }
    }

    @Test func `a write over the copy changes back what another publisher has changed since`() async throws {
        try await withWriters { first, second, subscriber, network in
            for name in ["Ann", "Bob", "Ann", "Bob"] {
                let writer = name == "Ann" ? first : second
                let outcome = try writer.transaction(over: subscriber.cache) { writes in
                    try writes.merge("User", "1", ["name": .text(name)])
                }
                #expect(outcome != .unchanged)
                try await network.settle()
                #expect(subscriber["User", "1"]?["name"] == .text(name))
            }
        }
    }

    @Test func `a transaction happens only where each model is as its writer takes it to be`() async throws {
        try await withWriters { first, second, subscriber, network in
            try first.merge("Account", "1", ["balance": 100])
            try await network.settle()
            let read = try #require(subscriber["Account", "1"])
            try first.merge("Account", "1", ["balance": 90])
            try await network.settle()
            func attempt(_ precondition: Precondition, _ id: String = "1") -> ModelcastError.Code? {
                do {
                    try second.transaction(over: subscriber.cache) { writes in
                        try writes.require("Account", id, precondition)
                        try writes.merge("Account", "2", ["balance": 1])
                        try writes.merge("Account", id, ["seen": true])
                    }
                    return nil
                } catch {
                    return (error as? ModelcastError)?.code
                }
            }
            #expect(attempt(.isAt([read.revision])) == .conflict)
            #expect(attempt(.isAbsent) == .conflict)
            #expect(attempt(.exists, "3") == .conflict)
            // Nothing of the transaction was written.
            #expect(second.cache.types.isEmpty)
            let now = try #require(subscriber["Account", "1"]?.revision)
            #expect(Revision(now.description) == now && Revision("\"\(now)\"") == nil && Revision("") == nil)
            #expect(attempt(.isAt([read.revision, now])) == nil)
            // Its own write counts before it has come back.
            #expect(attempt(.isAt([now])) == .conflict)
            #expect(attempt(.isAbsent, "3") == nil)
            try await network.settle()
            #expect(subscriber["Account", "1"]?.values == ["balance": 90, "seen": true])
        }
    }

    @Test func `a read finds what its token names, at once`() async throws {
        try await withWriters { first, second, subscriber, _ in
            for number in 0..<100 {
                let writer = number % 2 == 0 ? first : second
                try writer.merge("User", "\(number)", ["age": .int(Int64(number))])
                let token = try #require(WriteToken(writer.writeToken.description))
                #expect(token == writer.writeToken && token.origin == writer.configuration.name)
                try await subscriber.waitUntilApplied(token)
                #expect(subscriber["User", "\(number)"]?["age"] == .int(Int64(number)))
            }
        }
    }

    @Test func `a relay tells when it has what a token names, of one that pushes to it, too`() async throws {
        try await withNetwork { network in
            let relay = try await network.relay(of: [])
            let job = try network.job(pushingTo: ["relay"])
            try job.transaction { writes in
                try writes.merge("User", "1", ["age": 1])
                try writes.merge("Order", "1", ["total": 1])
            }
            try await relay.waitUntilApplied(job.writeToken)
            #expect(relay["User", "1"] != nil && relay["Order", "1"] != nil)
        }
    }

    @Test func `what does not come is told when the time is up, and a publisher that has started anew at once`()
        async throws
    {
        try await withWriters { first, _, subscriber, network in
            try network.hold(from: "first", to: "subscriber")
            try first.merge("User", "1", ["age": 1])
            let token = first.writeToken
            let late = await #expect(throws: ModelcastError.self) {
                try await subscriber.waitUntilApplied(token, timeout: .milliseconds(50))
            }
            #expect(late?.code == .timeout && late?.message.contains("first") ?? false)
            let cancelled = Task { try await subscriber.waitUntilApplied(token, timeout: .seconds(600)) }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            try network.release(from: "first", to: "subscriber")
            try await subscriber.waitUntilApplied(token)
            try await network.stop("first")
            _ = try await network.publisher("first")
            try await network.settle()
            let lost = await #expect(throws: ModelcastError.self) { try await subscriber.waitUntilApplied(token) }
            #expect(lost?.code == .conflict)
            try await network.stop("subscriber")
            let ended = await #expect(throws: ModelcastError.self) { try await subscriber.waitUntilApplied(token) }
            #expect(ended?.code == .conflict || ended?.code == .stopped)
        }
    }

    @Test func `a publisher is told which subscribers have what it has written, and which have not`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            for name in ["a", "b", "c"] { _ = try network.subscriber(name, of: ["publisher"]) }
            try await network.settle()
            try network.hold(from: "publisher", to: "c")
            try publisher.merge("User", "1", ["age": 1])
            // Subscribers report once a second of their own time.
            let names = Task { try await publisher.waitUntilApplied(by: 2, timeout: .seconds(60)) }
            while !names.isCancelled, publisher.audience.upToDateCount < 2 {
                try await network.advance(by: .milliseconds(500))
            }
            #expect(try await names.value == ["a", "b"])
            let late = await #expect(throws: ModelcastError.self) {
                try await publisher.waitUntilApplied(by: 3, timeout: .milliseconds(50))
            }
            #expect(late?.code == .timeout && late?.message.contains("2 of 3") ?? false)
            #expect(late?.message.contains("a, b; not c") ?? false, "\(late?.message ?? "")")
        }
    }

    @Test func `texts that are no tokens are none`() {
        for text in ["", "a", "a;", "a;x y", "a;1;b", "a;1;m/User/", "a;1;m/User/=", "a;1;h/a=1", "a b;1;m/User/=1"] {
            #expect(WriteToken(text) == nil, "\(text)")
        }
        #expect(WriteToken("a;1")?.description == "a;1")
        #expect(WriteToken("a;1" + String(repeating: ";m/User/=1", count: 5_000)) == nil)
    }
}
