import Modelcast
import ZeroMQ

/// A process that tries what it may do with its key, and what it may not: one try after the other, each with a report.
struct AttemptWorker: Sendable {
    let name: String
    let keys: WorkerKeys
    let attempts: [AccessAttempt]
    /// The longest time for one try.
    var limit = AttemptWorker.usualLimit

    static let usualLimit = Duration.seconds(20)
    /// The number of updates after which a stream has shown what it brings.
    private static let updateCount: UInt64 = 10
    private static let pause = Duration.milliseconds(20)
    /// The words by which a client tells that a server refused its key.
    private static let refusal = "does not allow the key"

    func run() async throws {
        let link = ParentLink<WorkerOrder, AttemptReport>()
        let security = try keys.security()
        for attempt in attempts { link.tell(await result(of: attempt, security)) }
    }

    /// Makes a try.
    func result(of attempt: AccessAttempt, _ security: Security) async -> AttemptReport {
        do {
            switch attempt.action {
            case .ask(let type, let held): return try await ask(type, held, attempt, security)
            case .listen(let granted): return try await listen(granted, attempt, security)
            case .join(let stream): return try await join(stream, attempt, security)
            case .push(let type, let origin): return try await push(type, origin, attempt, security)
            }
        } catch {
            return Self.isRefusal("\(error)") ? .notLetIn : AttemptReport(.unclear, "\(error)")
        }
    }

    private static func isRefusal(_ text: String) -> Bool { text.contains(refusal) }

    // MARK: Reading

    private func ask(
        _ type: String, _ held: Int, _ attempt: AccessAttempt, _ security: Security
    ) async throws -> AttemptReport {
        let client = try ControlClient(endpoint: attempt.endpoint, timeout: limit, security: security)
        let isNamed = try await client.welcome().types.contains(type)
        let count = try await client.copy().count(of: type)
        if count > 0 { return AttemptReport(.done, "it sent \(Figures.grouped(count))") }
        if isNamed { return AttemptReport(.done, "it named the type, and sent no model") }
        guard held > 0 else { return AttemptReport(.unclear, "there was nothing to get") }
        return AttemptReport(.denied, "it sent none of \(Figures.grouped(held)), as if there were no such type")
    }

    private func listen(
        _ granted: String?, _ attempt: AccessAttempt, _ security: Security
    ) async throws -> AttemptReport {
        var configuration = SubscriberConfiguration(name: name, publishers: [attempt.endpoint])
        configuration.security = security
        let subscriber = try Subscriber(configuration, logger: Worker.logger(name))
        return try await during {
            try await subscriber.run()
        } look: {
            var first: UInt64?
            return try await poll {
                if let other = subscriber.cache.types.sorted().first(where: { $0 != granted }) {
                    return AttemptReport(.done, "models of \(other) came")
                }
                let status = subscriber.status
                if status.senders.contains(where: { Self.isRefusal($0.lastError ?? "") }) { return .notLetIn }
                guard let granted, status.isLive else { return nil }
                let applied = status.counters[.appliedUpdates]
                first = first ?? applied
                guard let first, case let count = applied - first, count >= Self.updateCount else { return nil }
                return AttemptReport(.denied, "\(count) updates of \(granted) came, and of no other type")
            }
        }
    }

    private func join(_ stream: String, _ attempt: AccessAttempt, _ security: Security) async throws -> AttemptReport {
        guard let server = security.serversByEndpoint[attempt.endpoint] else {
            throw BenchError("the key of \(attempt.server) is not known")
        }
        let deadline = ContinuousClock.now + limit
        return try await Blocking.run(named: "stream") {
            let socket = try Socket(.sub, in: Context())
            try Security.connect(socket, security.keys, to: server)
            try socket.subscribe(to: "")
            let monitor = try socket.makeMonitor()
            try socket.connect(stream)
            var poller = try Poller()
            _ = try poller.add(socket)
            _ = try poller.add(monitor)
            while ContinuousClock.now < deadline {
                _ = try poller.wait(timeout: .milliseconds(100))
                if try socket.receive() != nil { return AttemptReport(.done, "a message came") }
                while let event = try monitor.next() {
                    guard case .handshakeFailed(.refused) = event.kind else { continue }
                    return AttemptReport(.denied, "that stream does not let in its key")
                }
            }
            return AttemptReport(.unclear, "nothing has happened for \(limit)")
        }
    }

    // MARK: Writing

    private func push(
        _ type: String, _ origin: String, _ attempt: AccessAttempt, _ security: Security
    ) async throws -> AttemptReport {
        var configuration = PublisherConfiguration(name: origin, pushingTo: [attempt.endpoint])
        configuration.security = security
        let publisher = try Publisher(configuration, logger: Worker.logger(name))
        try publisher.merge(type, name, ["text": .text("written by \(name)")])
        let denial = "denied: "
        return try await during {
            try await publisher.run()
        } look: {
            try await poll {
                guard let progress = publisher.pushProgress else { return nil }
                if progress.isAcknowledged {
                    var report = AttemptReport(.done, "\(attempt.server) has acknowledged it")
                    report.types = Worker.types(publisher.cache)
                    return report
                }
                if let failure = progress.failure {
                    guard failure.hasPrefix(denial) else { return AttemptReport(.unclear, failure) }
                    // Behind a colon the relay says what a grant would need.
                    let words = failure.dropFirst(denial.count).split(separator: ":").first ?? ""
                    return AttemptReport(.denied, "\(words), says \(attempt.server)")
                }
                return progress.relays.contains { Self.isRefusal($0.lastError ?? "") } ? .notLetIn : nil
            }
        }
    }

    // MARK: Waiting

    /// Calls `look` until it returns a report.
    private func poll(_ look: () throws -> AttemptReport?) async throws -> AttemptReport {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let report = try look() { return report }
            try await Task.sleep(for: Self.pause)
        }
        return AttemptReport(.unclear, "nothing has happened for \(limit)")
    }

    /// Runs a service while `look` looks at it.
    private func during(
        _ service: @escaping @Sendable () async throws -> Void,
        look: @escaping @Sendable () async throws -> AttemptReport
    ) async throws -> AttemptReport {
        try await withThrowingTaskGroup(of: AttemptReport?.self) { group in
            group.addTask {
                try await service()
                return nil
            }
            group.addTask { try await look() }
            defer { group.cancelAll() }
            guard case let report?? = try await group.next() else { throw BenchError("\(name) has ended by itself") }
            return report
        }
    }
}
