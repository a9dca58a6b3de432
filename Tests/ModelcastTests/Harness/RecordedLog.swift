import Logging
import ModelCache

/// Keeps what is logged.
final class RecordedLog: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let box = Guarded<[Entry]>([])

    var entries: [Entry] { box.withLock { $0 } }

    func makeLogger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        func log(event: LogEvent) {
            let metadata = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let entry = Entry(level: event.level, message: "\(event.message)", metadata: metadata)
            log.box.withLock { $0.append(entry) }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
    }
}
