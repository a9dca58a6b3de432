import Logging
@_spi(CacheWriting) import ModelCache
import ModelRecord
import Modelcast
import TestSupport

/// What the plays with a publisher have in common.
enum Stage {
    static let silent = Logger(label: "stress") { _ in SwiftLogNoOpLogHandler() }

    /// A publisher at a free port.
    static func publisher(
        control: String = "tcp://127.0.0.1:*", outboxByteCount: Int = 64 << 20
    ) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "publisher", endpoints: try SenderEndpoints(control: control))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.outboxByteCount = outboxByteCount
        return try Publisher(configuration, logger: silent)
    }

    static func subscriber(of endpoint: String) throws -> Subscriber {
        try Subscriber(SubscriberConfiguration(name: "subscriber", publishers: [endpoint]), logger: silent)
    }

    /// Runs both while `body` works, which begins when the subscriber is live.
    static func serving<R: Sendable>(
        _ publisher: Publisher, _ body: @escaping @Sendable (Subscriber) async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            let subscriber = try subscriber(of: try await publisher.boundEndpoints.control)
            let result = try await running(subscriber) {
                try await subscriber.waitUntilLive()
                return try await body(subscriber)
            }
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    /// Listens while `body` works.
    static func running<R: Sendable>(
        _ subscriber: Subscriber, _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await subscriber.run() }
            let result = try await body()
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    /// Waits until both have equal digests of all types.
    static func becomeEqual(_ publisher: Publisher, _ subscriber: Subscriber) async throws {
        let types = publisher.cache.types
        let isEqual = await eventually(within: .seconds(60)) {
            types.allSatisfy { publisher.cache.digest(of: $0) == subscriber.cache.digest(of: $0) }
        }
        guard isEqual, !types.isEmpty else { throw CaseFailure("the subscriber does not become equal: \(types)") }
    }

    /// What an observer was told leads from one set to the next and at last to `models`, unless it was ended.
    /// - Returns: what is wrong, if anything.
    static func chain(
        _ models: [ModelKey: Contents], _ interest: Interest, _ told: () -> [ToldSet], _ isEnded: () -> Bool
    ) async -> String? {
        let wanted = models.filter { interest.includes($0.key) }
        var fault: String?
        _ = await eventually {
            var known: [ModelKey: Contents] = [:]
            fault = nil
            let ended = isEnded()
            for entry in told().flatMap(\.entries) {
                guard entry.old == known[entry.key], interest.includes(entry.key) else {
                    fault = "\(interest): told \(entry) after \(ModelStep.text(known[entry.key]))"
                    return true
                }
                known[entry.key] = entry.new
            }
            if known != wanted, !ended { fault = "\(interest): told \(known), and it is \(wanted)" }
            return ended || fault == nil
        }
        return fault
    }

    static func operationCount(_ clients: [PublisherClient]) -> Int {
        clients.reduce(0) { $0 + $1.operationCount }
    }

    /// Holds what the clients have done and seen against the guarantees, and the cache against that.
    /// - Parameter replicaReads: what was seen of a subscriber.
    static func check(_ clients: [PublisherClient], _ publisher: Publisher, replicaReads: [ReadEvent] = []) throws {
        for client in clients {
            if let fault = client.faults.first { throw CaseFailure(fault) }
        }
        var history = History(replicaReads: replicaReads)
        for client in clients { history.append(client.history) }
        let journal = CommitJournal(publisher.cache.takeJournal())
        journal.stamp(&history)
        try HistoryCheck(history).check()
        try journal.check(history)
        try checkEnd(history, publisher.cache)
    }

    /// The cache holds what the last writes lead to, and its counts and digests agree with its records.
    private static func checkEnd(_ history: History, _ cache: ModelCache) throws {
        let timeline = try Timeline(history.writes)
        let snapshot = cache.snapshot()
        for key in history.keys {
            let expected = timeline.contents(of: key, at: timeline.writes.count)
            guard cache[key.type, key.id]?.values == expected, snapshot[key.type, key.id]?.values == expected else {
                let found = ModelStep.text(cache[key.type, key.id]?.values)
                throw CaseFailure("\(key) is \(found) at the end, not \(ModelStep.text(expected))")
            }
        }
        for type in snapshot.types {
            let records = Array(snapshot.records(of: type))
            guard records.count == cache.count(of: type), records.count == snapshot.count(of: type),
                records.reduce(0, { $0 &+ $1.digest }) == cache.digest(of: type)
            else { throw CaseFailure("count or digest of \(type) differ from those of its records") }
        }
    }
}
