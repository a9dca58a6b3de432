import Dispatch
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import ModelStore
@testable import Modelcast

/// What waits for something that may never come: each wait ends when its task is cancelled, or its service stops.
@Suite(.timeLimit(.minutes(15))) struct EndlessWaitTests {
    private func subscriber() throws -> Subscriber {
        let folder = try TemporaryDirectory()
        return try Subscriber(
            SubscriberConfiguration(name: "s", publishers: ["ipc://\(folder.path("nobody"))"]), logger: silent)
    }

    private func relay() throws -> Relay {
        try Relay(
            RelayConfiguration(
                name: "r", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: []),
            logger: silent)
    }

    /// Runs `body`, cancels it at some moment, and expects to be told so.
    private func expectCancelled(_ body: @escaping @Sendable () async throws -> Void) async {
        for yieldCount in [0, 1, 10, 1_000] {
            let task = Task { try await body() }
            for _ in 0..<yieldCount { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `waiting for what does not run ends when the task is cancelled`() async throws {
        let subscriber = try subscriber()
        await expectCancelled { try await subscriber.waitUntilLive() }
        await expectCancelled { _ = try await subscriber.boundControl }
        let publisher = try makePublisher(nil)
        await expectCancelled { _ = try await publisher.boundEndpoints }
        // Who pushes nowhere is never acknowledged, and is told so.
        let error = await #expect(throws: ModelcastError.self) { try await publisher.waitUntilAcknowledged() }
        #expect(error?.code == .configuration)
        let folder = try TemporaryDirectory()
        let job = try Publisher(
            PublisherConfiguration(name: "job", pushingTo: ["ipc://\(folder.path("nobody"))"]), logger: silent)
        try job.merge("User", "1", ["age": 1])
        await expectCancelled { try await job.waitUntilAcknowledged() }
        try await during(job) { job in
            await expectCancelled { try await job.waitUntilAcknowledged() }
        }
        let relay = try relay()
        await expectCancelled { _ = try await relay.boundEndpoints }
        let token = job.writeToken
        await expectCancelled { try await subscriber.waitUntilApplied(token, timeout: .seconds(600)) }
        await expectCancelled { _ = try await subscriber.fetch("User", "1", timeout: .seconds(600)) }
        await expectCancelled { _ = try await subscriber.fetch("User", ["1", "2"], timeout: .seconds(600)) }
        await expectCancelled { try await relay.waitUntilApplied(token, timeout: .seconds(600)) }
        await expectCancelled { _ = try await publisher.waitUntilApplied(by: 1, timeout: .seconds(600)) }
    }

    @Test func `waiting for room in the outbox ends when the task is cancelled, and nothing is written`() async throws {
        var configuration = PublisherConfiguration(
            name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.outboxByteCount = 1_000
        let publisher = try Publisher(configuration, logger: silent)
        for id in 0..<1_000 where !publisher.isOutboxFull {
            try publisher.merge("User", "\(id)", ["text": "some text to fill it"])
        }
        #expect(publisher.isOutboxFull)
        await expectCancelled { try await publisher.waitForRoom() }
        await expectCancelled {
            _ = try await publisher.waitingForRoom { try publisher.merge("Late", "1", ["n": 1]) }
        }
        #expect(publisher.cache.count(of: "Late") == 0)
    }

    @Test func `waiting for a disk that hangs ends when the task is cancelled`() async throws {
        let folder = try TemporaryDirectory()
        let publisher = try makePublisher(folder.path("p.store"), writing: .never)
        let queue = try #require(publisher.store).behind.queue
        // Work that has begun goes on, and would write what comes meanwhile.
        queue.sync {}
        queue.suspend()
        defer { queue.resume() }
        try publisher.merge("User", "1", ["age": 1])
        await expectCancelled { try await publisher.waitUntilDurable() }
    }

    @Test func `a service ends, and without an error, when its task is cancelled while it runs`() async throws {
        let (publisher, subscriber, relay) = (try makePublisher(nil), try subscriber(), try relay())
        let isBound: [@Sendable () async throws -> Void] = [
            { _ = try await publisher.boundEndpoints },
            { while subscriber.status.senders.isEmpty { await Task.yield() } },
            { _ = try await relay.boundEndpoints },
        ]
        for (service, isBound) in zip([publisher, subscriber, relay] as [any Service & Sendable], isBound) {
            let run = Task { try await service.run() }
            try await isBound()
            run.cancel()
            try await run.value
        }
    }

    @Test
    func `questions to a holder that does not answer, and taking back from a relay, end when the task is cancelled`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let nobody = "ipc://\(folder.path("nobody"))"
        let client = try ControlClient(endpoint: nobody, timeout: .seconds(600))
        await expectCancelled { _ = try await client.welcome() }
        await expectCancelled { _ = try await client.fetch("User", ["1"]) }
        await expectCancelled { _ = try await client.lookUp("User", ["1"]) }
        await expectCancelled { _ = try await client.digests() }
        await expectCancelled { _ = try await client.copy() }
        await expectCancelled { _ = try await client.verify(against: client) }
        let copy = try Subscriber(SubscriberConfiguration(name: "s", publishers: [nobody]), logger: silent)
        await expectCancelled { _ = try await copy.verify(againstSenderAt: 0) }
        let endpoints = try SenderEndpoints(control: "tcp://127.0.0.1:*")
        let relay = try Relay(
            RelayConfiguration(name: "r", endpoints: endpoints, publishers: [nobody]), logger: silent)
        await expectCancelled { _ = try await relay.verify(againstSenderAt: 0) }
        let publisher = try makePublisher(nil)
        await expectCancelled { try await publisher.recover(from: [nobody], timeout: .seconds(600)) }
    }

    @Test func `who waits is told also where others were cancelled`() async throws {
        let publisher = try makePublisher(nil)
        let waiting = (0..<20).map { _ in Task { try await publisher.boundEndpoints } }
        for task in waiting.prefix(10) { task.cancel() }
        try await running(publisher) { endpoints in
            for task in waiting.suffix(10) {
                let told = try await task.value
                #expect(told == endpoints)
            }
        }
        for task in waiting.prefix(10) { _ = await task.result }
    }

    @Test func `a service that has run does not run again, and says so`() async throws {
        let (publisher, subscriber, relay) = (try makePublisher(nil), try subscriber(), try relay())
        for service in [publisher, subscriber, relay] as [any Service & Sendable] {
            let first = Task { try await service.run() }
            first.cancel()
            try await first.value
            let error = await #expect(throws: ModelcastError.self) { try await service.run() }
            #expect(error?.code == .stopped && error?.message.contains("make a new one") == true)
        }
    }

    @Test func `a second run beside the first is refused, and the first goes on`() async throws {
        let publisher = try makePublisher(nil)
        try await running(publisher) { endpoints in
            let relay = try makeRelay(of: endpoints)
            try await during(relay) { relay in
                let control = try await relay.boundEndpoints.control
                try await subscribing(to: [control]) { subscriber in
                    try await subscriber.waitUntilLive()
                    for service in [publisher, relay, subscriber] as [any Service & Sendable] {
                        let error = await #expect(throws: ModelcastError.self) { try await service.run() }
                        #expect(error?.code == .stopped && error?.message.contains("make a new one") == true)
                    }
                    try publisher.merge("User", "1", ["age": 1])
                    #expect(await eventually { subscriber["User", "1"]?["age"] == 1 })
                    // Whoever comes later is served by both.
                    try await subscribing(to: [endpoints.control, control]) { try await $0.waitUntilLive() }
                    #expect(subscriber.status.isLive)
                }
            }
        }
    }

    @Test func `a stream ends behind its last change when its subscriber stops`() async throws {
        let publisher = try makePublisher(nil)
        try publisher.merge("User", "1", ["age": 1])
        try await running(publisher) { endpoints in
            let subscriber = try Subscriber(
                SubscriberConfiguration(name: "s", publishers: [endpoints.control]), logger: silent)
            let everything = subscriber.changes(.everything)
            let one = subscriber.changes(.model(type: "User", id: "1"))
            try await during(subscriber) { try await $0.waitUntilLive() }
            for stream in [everything, one, subscriber.changes(.type("User"))] {
                var ids: [String] = []
                for await changes in stream { ids += changes.map(\.id) }
                #expect(ids == ["1"])
            }
        }
    }

    @Test func `a stream ends when a service that never ran is released`() async throws {
        var streams: [ChangeStream] = []
        do {
            let (publisher, subscriber, relay) = (try makePublisher(nil), try subscriber(), try relay())
            try publisher.merge("User", "1", ["age": 1])
            streams = [publisher.cache, subscriber.cache, relay.cache].map { $0.changes(.everything) }
        }
        var ids: [String] = []
        for stream in streams {
            for await changes in stream { ids += changes.map(\.id) }
        }
        #expect(ids == ["1"])
    }

    /// Awaits changes, and nothing else.
    private struct Consumer: Service {
        let subscriber: Subscriber

        func run() async throws { for await _ in subscriber.changes(.everything) {} }
    }

    @Test(arguments: [false, true])
    func `a service that awaits changes does not keep its group from ending`(_ isFirst: Bool) async throws {
        let subscriber = try subscriber()
        let services: [any Service] =
            isFirst ? [Consumer(subscriber: subscriber), subscriber] : [subscriber, Consumer(subscriber: subscriber)]
        let group = ServiceGroup(services: services, logger: silent)
        let run = Task { try await group.run() }
        let isRunning = await eventually { !subscriber.status.senders.isEmpty }
        #expect(isRunning)
        await group.triggerGracefulShutdown()
        switch await run.result {
        case .success: break
        // A consumer that stands first ends with its subscriber, before the group has asked it to.
        case .failure(let error as ServiceGroupError) where isFirst:
            #expect(error.errorCode == .serviceFinishedUnexpectedly)
        case .failure(let error): throw error
        }
    }
}
