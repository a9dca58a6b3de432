import Foundation
import Logging
import Modelcast

/// The process that ``WorkerTask`` describes: a publisher under load, or a subscriber.
public enum Worker {
    /// Works until the parent closes stdin.
    /// - Parameter task: a ``WorkerTask`` as JSON.
    public static func run(task: String) async throws {
        guard let task = try? JSONDecoder().decode(WorkerTask.self, from: Data(task.utf8)) else {
            throw BenchError("the worker's task is no task; workers are started by modelcast demo and modelcast stress")
        }
        switch task {
        case .publish(let name, let choice):
            try await PublisherWorker(name: name, load: load(choice)).run()
        case .subscribe(let name, let publishers, let showsHost):
            try await SubscriberWorker(name: name, publishers: publishers, showsHost: showsHost).run()
        }
    }

    private static func load(_ choice: WorkerTask.LoadChoice) -> any Load {
        switch choice {
        case .host: HostLoad()
        case .replay(let path, let linesPerSecond): ReplayLoad(path: path, linesPerSecond: linesPerSecond)
        case .stress(let plan): StressLoad(plan: plan)
        }
    }

    /// Warnings and worse go to stderr; stdout is for reports.
    static func logger(_ name: String) -> Logger {
        var logger = Logger(label: name) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }

    /// The types in a cache, with how many models and which digest.
    static func types(_ cache: ModelCache) -> [WorkerReport.TypeState] {
        cache.types.sorted().map {
            WorkerReport.TypeState(
                type: $0, models: cache.count(of: $0), digest: Digests.text(cache.digest(of: $0)))
        }
    }

    /// Calls `report` four times a second until the task is cancelled.
    static func repeatedly(_ report: () -> Void) async {
        while !Task.isCancelled {
            report()
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Runs all until one of them ends, then cancels the others.
    static func untilFirstEnds(_ bodies: [@Sendable () async throws -> Void]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for body in bodies { group.addTask(operation: body) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
