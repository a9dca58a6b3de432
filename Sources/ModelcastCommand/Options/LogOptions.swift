import ArgumentParser
import Logging

/// The level of logging; the same option for all subcommands.
struct LogOptions: ParsableArguments {
    @Option(name: .customLong("log-level"), help: "The least severe log messages to show, on standard error.")
    var level = LogLevel.warning

    /// A logger that writes to standard error.
    /// - Parameter leftOut: messages that are not logged, because the command tells them itself.
    func makeLogger(leavingOut leftOut: Set<String> = []) -> Logger { level.makeLogger(leavingOut: leftOut) }
}

/// The severities of swift-log, as words on the command line.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace
    case debug
    case info
    case notice
    case warning
    case error
    case critical

    /// The log of grants, refused keys, denied writes and taken names, on standard error whatever `--log-level` says.
    static func makeAuditLog() -> Logger {
        var logger = Logger(label: "modelcast.audit") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        return logger
    }

    /// A logger that writes messages of this severity or more to standard error.
    func makeLogger(leavingOut leftOut: Set<String> = []) -> Logger {
        var logger = Logger(label: "modelcast") {
            let handler = StreamLogHandler.standardError(label: $0)
            return leftOut.isEmpty ? handler : LogSelection(handler, leavingOut: leftOut)
        }
        logger.logLevel = Logger.Level(rawValue: rawValue) ?? .warning
        return logger
    }
}
