import Dispatch
import Foundation
import Logging
import ModelCache
import Modelcast
import ServiceLifecycle
import TestSupport
import Testing
import UnixSignals

// The regions between `// example: NAME` and `// end example` are quoted in README.md and in the DocC articles.
// Scripts/quoted-examples compares the texts; the suite below runs each of them.

// example: publisher
/// Serves users to every subscriber that comes, until SIGTERM.
func serveUsers(at control: String, logger: Logger) async throws {
    let endpoints = try SenderEndpoints(control: control)
    let publisher = try Publisher(
        PublisherConfiguration(name: "accounts", endpoints: endpoints), logger: logger)

    try publisher.merge("User", "42", ["name": "Ada", "age": 36])
    try publisher.merge("User", "42", ["age": 37])  // only this field travels

    let group = ServiceGroup(
        services: [publisher], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
}
// end example

// example: subscriber
/// Keeps a copy of the users of some publishers, and tells every change, until SIGTERM.
func followUsers(
    of publishers: [String], logger: Logger, tell: @escaping @Sendable (String) -> Void
) async throws {
    let subscriber = try Subscriber(
        SubscriberConfiguration(name: "billing", publishers: publishers), logger: logger)

    let observation = subscriber.observe(.type("User"), on: DispatchQueue(label: "users")) { changes in
        for change in changes {
            let age = change.new?["age"]?.intValue
            tell("\(change.id): \(change.changedFields), age \(age.map(String.init) ?? "unknown")")
        }
    }
    defer { observation.cancel() }

    let group = ServiceGroup(
        services: [subscriber], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
}
// end example

// example: reading
/// Three ways to read, none of which asks anybody: one model, a typed view of one, a cut across all of them.
func describe(_ subscriber: Subscriber) throws -> String {
    guard let record = subscriber["User", "42"] else { return "nobody" }
    let name = record["name"]?.textValue ?? "unnamed"

    let user = try subscriber.model(User.self, "42")  // a struct of yours, see Model

    let snapshot = subscriber.snapshot()  // does not change any more
    let ages = snapshot.records(of: "User").compactMap { $0["age"]?.intValue }
    return "\(name), called \(user?.nickName ?? "nothing"), one of \(ages.count) with an age"
}
// end example

// example: stream
/// Waits until a model is gone, or returns at once if it is not there.
func waitForEnd(of id: String, _ subscriber: Subscriber) async {
    // Registered here: whatever happens from now on is told, also before the loop begins.
    let stream = subscriber.changes(.model(type: "User", id: id))
    guard subscriber["User", id] != nil else { return }
    for await changes in stream {
        if changes.contains(where: { $0.new == nil }) { return }
    }
}
// end example

// example: transaction
/// Moves money, so that no snapshot and no observer of everything ever sees it twice or not at all.
func move(_ amount: Int64, from source: String, to target: String, _ publisher: Publisher) throws {
    let accounts = publisher.cache.snapshot()
    let before = accounts["Account", source]?["balance"]?.intValue ?? 0
    let after = accounts["Account", target]?["balance"]?.intValue ?? 0
    try publisher.transaction { writes in
        try writes.merge("Account", source, ["balance": .int(before - amount)])
        try writes.merge("Account", target, ["balance": .int(after + amount)])
    }
}
// end example

// example: joint
/// Gives a user another name whom other processes change, too, unless one of them was faster.
func rename(
    _ id: String, to name: String, _ publisher: Publisher, _ subscriber: Subscriber
) async throws -> Bool {
    guard let user = subscriber["User", id] else { return false }
    do {
        try publisher.transaction(over: subscriber.cache) { writes in
            try writes.require("User", id, .isAt([user.revision]))
            try writes.merge("User", id, ["name": .text(name)])
        }
    } catch let error as ModelcastError where error.code == .conflict {
        return false
    }
    // From here on everybody sees it who reads this subscriber.
    try await subscriber.waitUntilApplied(publisher.writeToken)
    return true
}
// end example

// example: outcome
/// Publishes readings as they come, as fast as they can be sent and no faster.
func publish(
    _ readings: some AsyncSequence<(sensor: String, celsius: Double), any Error>, _ publisher: Publisher
)
    async throws
{
    for try await (sensor, celsius) in readings {
        try await publisher.waitingForRoom {
            try publisher.merge("Sensor", sensor, ["celsius": .double(celsius)])
        }
    }
}
// end example

// example: status
/// One line for each publisher that is not live, with what is known of it.
func troubles(of subscriber: Subscriber) -> [String] {
    let status = subscriber.status
    return zip(subscriber.configuration.publishers, status.senders).compactMap { endpoint, sender in
        guard sender.state != .live else { return nil }
        return "\(endpoint) is \(sender.state.rawValue) for \(sender.lasted): \(sender.lastError ?? "no error")"
    }
}
// end example

enum Expiring {
    // example: expiring
    static func write(_ publisher: Publisher) throws {
        // Half an hour from now, for everybody; each later write with an end moves it.
        try publisher.merge("Session", "7", ["user": "ada"], expires: .after(.seconds(1800)))
        // At a time of the publisher's clock.
        try publisher.merge("Offer", "3", ["price": 90], expires: .at(Date(timeIntervalSince1970: 4_000_000_000)))
        // Never, whatever was said before.
        try publisher.merge("Session", "8", ["user": "ada"], expires: .never)
    }
    // end example

    // example: expiring-told
    static func follow(_ subscriber: Subscriber, on queue: DispatchQueue) -> CacheObservation {
        subscriber.observe(.type("Session"), on: queue) { changes in
            for change in changes where change.reason == .expired { print("session \(change.id) has timed out") }
        }
    }
    // end example
}

enum Bounded {
    // example: lazy
    static func openLazily(_ endpoint: String, logger: Logger) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "support", publishers: [endpoint])
        // Ten thousand of as many as there are, each once somebody has asked for it.
        configuration.prefetch = .none
        configuration.modelLimits.types["Session"] = ModelLimits(count: 10_000)
        return try Subscriber(configuration, logger: logger)
    }
    // end example

    // example: bounded
    static func open(_ endpoint: String, logger: Logger) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "sessions", publishers: [endpoint])
        // A hundred thousand of the sessions that are in use, and an hour at most of any other.
        configuration.modelLimits.types["Session"] = ModelLimits(count: 100_000, idle: .seconds(3600))
        // Of everything together a gibibyte.
        configuration.modelLimits.all = ModelLimits(bytes: 1 << 30)
        return try Subscriber(configuration, logger: logger)
    }

    static func user(of session: String, _ subscriber: Subscriber) async throws -> String? {
        // A look-up where the session is here, and a round trip where it has left.
        guard case .text(let user)? = try await subscriber.fetch("Session", session)?["user"] else { return nil }
        return user
    }
    // end example
}

enum Leasing {
    // example: leasing
    static func register(_ publisher: Publisher) throws {
        // There while this process is; gone ten seconds after it was heard of last.
        try publisher.lease("Endpoint", "billing-1", ["host": "10.0.0.7", "port": 8080], for: .seconds(10))
    }
    // end example

    // example: leasing-told
    static func follow(_ subscriber: Subscriber, on queue: DispatchQueue) -> CacheObservation {
        subscriber.observe(.type("Endpoint"), on: queue) { changes in
            for change in changes {
                switch change.reason {
                case .leaseEnded: print("\(change.id) has not been heard of")
                case .returned: print("\(change.id) is back")
                default: break
                }
            }
        }
    }
    // end example
}

@Suite(.timeLimit(.minutes(15))) struct DocumentationExamples {
    @Test func `a subscriber of the guide hears of what the publisher of the guide serves`() async throws {
        let folder = try TemporaryDirectory()
        let control = "ipc://\(folder.path("accounts"))"
        let told = Told()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await serveUsers(at: control, logger: silent) }
            group.addTask {
                try await followUsers(of: [control], logger: silent) { told.add($0) }
            }
            let hasCome = await eventually { told.lines.last == "42: [\"age\", \"name\"], age 37" }
            #expect(hasCome, "told: \(told.lines)")
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result { #expect(error is CancellationError) }
            }
        }
    }

    @Test func `three ways of reading agree`() async throws {
        try await withPair { publisher, subscriber in
            #expect(try describe(subscriber) == "nobody")
            try publisher.transaction { writes in
                try writes.merge("User", "42", ["name": "Ada", "nick_name": "Countess", "age": 36])
                try writes.merge("User", "43", ["name": "Blaise"])
            }
            #expect(await eventually { subscriber["User", "43"] != nil })
            #expect(try describe(subscriber) == "Ada, called Countess, one of 1 with an age")
        }
    }

    @Test func `a stream tells the end of a model`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.merge("User", "42", ["age": 36])
            #expect(await eventually { subscriber["User", "42"] != nil })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await waitForEnd(of: "42", subscriber) }
                try publisher.delete("User", "42")
                try await group.next()
            }
            #expect(subscriber["User", "42"] == nil)
        }
    }

    @Test func `money that moves is in one place`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.merge("Account", "1", ["balance": 100])
            try move(30, from: "1", to: "2", publisher)
            #expect(await eventually { subscriber["Account", "2"]?["balance"] == 30 })
            #expect(subscriber["Account", "1"]?["balance"] == 70)
        }
    }

    @Test func `readings are published as fast as they leave, and none is lost where the outbox is small`() async throws
    {
        var configuration = PublisherConfiguration(
            name: "sensors", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.outboxByteCount = 100
        let publisher = try Publisher(configuration, logger: silent)
        let (readings, feed) = AsyncThrowingStream.makeStream(of: (sensor: String, celsius: Double).self)
        for number in 0..<200 { feed.yield(("sensor-\(number)", Double(number))) }
        feed.finish()
        try await running(publisher) { _ in try await publish(readings, publisher) }
        #expect(publisher.cache.count(of: "Sensor") == 200)
    }

    @Test func `writes say when their models end`() async throws {
        try await withPair { publisher, subscriber in
            let observation = Expiring.follow(subscriber, on: DispatchQueue(label: "test"))
            try Expiring.write(publisher)
            // Streams of types are independent of each other, and so are models in a batch that is no transaction.
            #expect(
                await eventually {
                    subscriber["Session", "7"] != nil && subscriber["Session", "8"] != nil
                        && subscriber["Offer", "3"] != nil
                })
            #expect(subscriber["Session", "7"]?.expires != nil && subscriber["Session", "8"]?.expires == nil)
            #expect(subscriber["Offer", "3"]?.expires == 4_000_000_000_000)
            observation.cancel()
        }
    }

    @Test func `a publisher that is not there is told, one that is live is not`() async throws {
        let folder = try TemporaryDirectory()
        try await withPair { publisher, live in
            #expect(await eventually { troubles(of: live).isEmpty })
            let nobody = "ipc://\(folder.path("nobody"))"
            try await subscribing(to: [nobody]) { lost in
                #expect(await eventually { troubles(of: lost).first?.hasPrefix("\(nobody) is connecting") == true })
            }
        }
    }
}

/// What an example has told.
private final class Told: Sendable {
    private let state = Guarded<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) { state.withLock { $0.append(line) } }
}
