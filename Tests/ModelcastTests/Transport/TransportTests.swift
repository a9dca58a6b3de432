import Dispatch
import Modelcast
import Synchronization
import TestSupport
import Testing

/// Whole services over each transport: what a user sees is the same with sockets and without.
@Suite(.timeLimit(.minutes(15))) struct TransportTests {
    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a publisher, a relay and two subscribers run whole and end equal`(kind: TransportUnderTest.Kind) async throws
    {
        let network = try TransportUnderTest(kind)
        try await during(network.publisher("accounts")) { publisher in
            for id in 0..<2_000 { try publisher.merge("User", "\(id)", ["n": 0]) }
            try await during(network.relay("relay", listeningTo: ["accounts"])) { relay in
                try await during(network.subscriber(of: ["accounts"])) { direct in
                    try await during(network.subscriber(of: ["relay"])) { behind in
                        try await direct.waitUntilLive()
                        try await behind.waitUntilLive()
                        for id in 0..<2_000 { try publisher.merge("User", "\(id)", ["n": .int(Int64(id))]) }
                        for id in 0..<100 { try publisher.delete("User", "\(id)") }
                        #expect(await becomeEqual(publisher, direct))
                        #expect(await becomeEqual(publisher, behind))
                        #expect(behind["User", "1999"]?["n"] == 1999)
                        #expect(behind.cache.count(of: "User") == 1_900)
                        #expect(await eventually { relay.status.isLive })
                        #expect(await eventually { publisher.audience.liveCount == 2 })
                    }
                }
            }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a publisher that starts again at its endpoint is met by who was there before`(
        kind: TransportUnderTest.Kind
    ) async throws {
        let network = try TransportUnderTest(kind)
        try await during(network.subscriber(of: ["accounts"])) { subscriber in
            // The subscriber has connected before there is anybody.
            for start in 1...3 {
                try await during(network.publisher("accounts")) { publisher in
                    try publisher.merge("User", "1", ["start": .int(Int64(start))])
                    #expect(await eventually { subscriber["User", "1"]?["start"] == .int(Int64(start)) })
                    try await subscriber.waitUntilLive()
                    #expect(await becomeEqual(publisher, subscriber))
                    #expect(publisher.audience.subscribers.count <= 1)
                }
                #expect(await eventually { !subscriber.status.isLive })
            }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a subscriber that does not keep up loses messages, holds up nobody and is repaired`(
        kind: TransportUnderTest.Kind
    ) async throws {
        let network = try TransportUnderTest(kind)
        let publisher = try network.publisher("accounts") {
            $0.subscriberQueueByteCount = 1 << 20
            // So what was written is sent by the end, but for a little, however slow the thread of the publisher is.
            $0.outboxByteCount = 1 << 20
        }
        try await during(publisher) { publisher in
            let subscriber = try network.subscriber(of: ["accounts"]) { $0.queueByteCount = 1 << 20 }
            try await during(subscriber) { subscriber in
                try await subscriber.waitUntilLive()
                let gate = Gate()
                // The thread that reads the stream waits in this handler.
                let observation = subscriber.observe(.type("User"), inline: { gate.pass($0) })
                try publisher.merge("User", "first", ["n": 1])
                #expect(await eventually { gate.isReached })
                let text = String(repeating: "x", count: 16 << 10)
                for round in 0..<40 {
                    for id in 0..<64 {
                        try await publisher.waitingForRoom {
                            try publisher.merge("User", "\(id)", ["text": .text("\(round) \(text)")])
                        }
                    }
                }
                try await during(network.subscriber(of: ["accounts"])) { other in
                    #expect(await becomeEqual(publisher, other))
                }
                gate.open()
                #expect(await becomeEqual(publisher, subscriber))
                // On a slow machine the handler has held it up for so long that it joins anew.
                #expect(
                    await eventually {
                        let counters = subscriber.status.counters
                        return counters[.holesFound] > 0 || counters[.senderTimeouts] > 0
                    })
                observation.cancel()
            }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `who has stopped is not live, and a relay is not before it serves`(kind: TransportUnderTest.Kind) async throws
    {
        let network = try TransportUnderTest(kind)
        try await during(network.publisher("accounts")) { publisher in
            let relay = try network.relay("relay", listeningTo: ["accounts"])
            let subscriber = try network.subscriber(of: ["relay"])
            #expect(!relay.status.isServing && !relay.status.isLive)
            try await during(relay) { relay in
                try await during(subscriber) { try await $0.waitUntilLive() }
                #expect(!subscriber.status.isLive)
                #expect(subscriber.status.senders.map(\.state) == [.stale])
                #expect(subscriber.status.senders.map(\.lastError) == ["this process stopped"])
                #expect(await eventually { relay.status.isServing && relay.status.isLive })
            }
            #expect(!relay.status.isServing && !relay.status.isLive)
            #expect(relay.status.senders.map(\.state) == [.stale])
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a job pushes to a relay, also to one that has been started again`(kind: TransportUnderTest.Kind) async throws
    {
        let network = try TransportUnderTest(kind)
        // A relay has to keep what it has acknowledged.
        let folder = try TemporaryDirectory()
        try await during(network.job("job", pushingTo: "relay")) { job in
            try job.merge("User", "1", ["n": 1])
            for start in 1...2 {
                let relay = try network.relay("relay", listeningTo: []) { $0.store = folder.path("relay.store") }
                try await during(relay) { relay in
                    try job.merge("User", "2", ["start": .int(Int64(start))])
                    try await job.waitUntilAcknowledged()
                    try await during(network.subscriber(of: ["relay"])) { subscriber in
                        try await subscriber.waitUntilLive()
                        #expect(await eventually { subscriber["User", "2"]?["start"] == .int(Int64(start)) })
                    }
                    #expect(relay.cache["User", "2"] != nil)
                }
            }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `copies are compared by their control endpoints`(kind: TransportUnderTest.Kind) async throws {
        let network = try TransportUnderTest(kind)
        try await during(network.publisher("accounts")) { publisher in
            for id in 0..<500 { try publisher.merge("User", "\(id)", ["n": 0]) }
            let subscriber = try network.subscriber(of: ["accounts"]) { $0.control = network.control("billing") }
            try await during(subscriber) { subscriber in
                #expect(await becomeEqual(publisher, subscriber))
                let verifications = try await network.client("accounts")
                    .verify(against: network.client("billing"), comparingValues: true)
                #expect(verifications.map(\.type) == ["User"] && verifications.allSatisfy(\.isEqual))
                let copy = try await network.client("billing").copy()
                #expect(copy.count(of: "User") == 500)
            }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a service that could not bind leaves the endpoint to who has it`(kind: TransportUnderTest.Kind) async throws {
        let network = try TransportUnderTest(kind)
        try await during(network.publisher("accounts")) { publisher in
            _ = try await publisher.boundEndpoints
            let second = try network.publisher("accounts")
            let error = await #expect(throws: ModelcastError.self) { try await second.run() }
            #expect(error?.code == .endpoint)
            try publisher.merge("User", "1", ["n": 1])
            try await during(network.subscriber(of: ["accounts"])) { subscriber in
                #expect(await becomeEqual(publisher, subscriber))
                try await subscriber.waitUntilLive()
            }
        }
    }
}

/// Holds the first change that comes.
private final class Gate: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let reached = Atomic<Bool>(false)

    var isReached: Bool { reached.load(ordering: .acquiring) }

    func open() { opened.signal() }

    func pass(_ changes: ChangeSet) {
        guard !changes.isInitial, !reached.exchange(true, ordering: .acquiringAndReleasing) else { return }
        opened.wait()
    }
}
