import Foundation
import Logging
public import Modelcast

/// The process that a ``WorkerTask`` describes: a publisher under load, a relay, a subscriber, one that tries
/// what it may, or a sweeper.
public enum Worker {
    /// Serves the inspector of a subscriber until its task is cancelled, and tells the address once it can be reached.
    public typealias Inspection =
        @Sendable (Subscriber, _ tell: @escaping @Sendable (_ address: String) -> Void) async throws -> Void

    /// Carries out a task, until the parent closes stdin.
    /// - Parameters:
    ///   - task: a ``WorkerTask`` as JSON.
    ///   - inspection: serves the inspector of a subscriber that is to have one.
    /// - Throws: ``BenchError`` for text that is no task.
    public static func run(task: String, inspection: @escaping Inspection) async throws {
        guard let task = try? JSONDecoder().decode(WorkerTask.self, from: Data(task.utf8)) else {
            throw BenchError("the worker's task is no task; workers are started by modelcast demo, stress and chaos")
        }
        switch task {
        case .publish(let name, let bind, let choice, let store, let keys):
            try await PublisherWorker(name: name, bind: bind, load: load(choice), store: store, keys: keys).run()
        case .subscribe(let name, let publishers, let showsHost, let isInspected, let store, let keys):
            try await SubscriberWorker(
                name: name, publishers: publishers, showsHost: showsHost,
                inspection: isInspected ? inspection : nil, store: store, keys: keys
            ).run()
        case .relay(let name, let bind, let publishers, let store, let keys):
            try await RelayWorker(name: name, bind: bind, publishers: publishers, store: store, keys: keys).run()
        case .attempt(let name, let attempts, let keys):
            try await AttemptWorker(name: name, keys: keys, attempts: attempts).run()
        case .sweep(let run): await ChaosSweep(run: run).guardTrial()
        }
    }

    private static func load(_ choice: WorkerTask.LoadChoice) -> any Load {
        switch choice {
        case .host: HostLoad()
        case .replay(let path, let linesPerSecond): ReplayLoad(path: path, linesPerSecond: linesPerSecond)
        case .stress(let plan): StressLoad(plan: plan)
        case .chaos(let plan): ChaosLoad(plan: plan)
        }
    }

    /// A logger that writes warnings and worse to stderr, because stdout is for reports.
    static func logger(_ name: String) -> Logger {
        var logger = Logger(label: name) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }

    /// The types in a cache, each with its number of models and its digest.
    static func types(_ cache: ModelCache) -> [WorkerReport.TypeState] {
        cache.types.sorted().map {
            WorkerReport.TypeState(
                type: $0, models: cache.count(of: $0), digest: Digests.text(cache.digest(of: $0)))
        }
    }

    /// Writes every model of a cache to a file: a line for each field with type, id, field, version and value, sorted.
    static func write(_ cache: ModelCache, to path: String) throws {
        let snapshot = cache.snapshot()
        var lines: [String] = []
        for type in cache.types {
            for record in snapshot.records(of: type) {
                lines += record.cells.map { "\(type)\t\(record.id)\t\($0.field)\t\($0.version)\t\($0.value)" }
            }
        }
        try Data((lines.sorted().joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Calls `report` four times a second until the task is cancelled.
    static func repeatedly(_ report: () -> Void) async {
        while !Task.isCancelled {
            report()
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Runs all bodies until one of them ends, then cancels the others.
    /// - Throws: the error of the first that ends.
    static func untilFirstEnds(_ bodies: [@Sendable () async throws -> Void]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for body in bodies { group.addTask(operation: body) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
