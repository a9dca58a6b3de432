import ArgumentParser
import Logging

/// What is logged; the same for all subcommands.
struct LogOptions: ParsableArguments {
    @Option(name: .customLong("log-level"), help: "The least severe log messages to show, on standard error.")
    var level = LogLevel.warning

    /// A logger that writes to standard error.
    func makeLogger() -> Logger { level.makeLogger() }
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

    /// A logger that writes this and what is more severe to standard error.
    func makeLogger() -> Logger {
        var logger = Logger(label: "modelcast") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = Logger.Level(rawValue: rawValue) ?? .warning
        return logger
    }
}
