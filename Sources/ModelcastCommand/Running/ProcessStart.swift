import Foundation
import Synchronization

/// What comes before everything else in a process: nothing else has been opened, and no thread was started.
enum ProcessStart {
    /// - Parameter arguments: of the process, its name first.
    static func prepare(_ arguments: [String]) {
        catchSignals(arguments)
        StandardStreams.fillGaps()
    }

    /// Lets SIGTERM and SIGINT end a service that has not begun: with 0, as there is nothing to end in good order. The
    /// service group takes the signals over when it runs.
    private static func catchSignals(_ arguments: [String]) {
        guard arguments.count > 1, ["publish", "subscribe", "relay"].contains(arguments[1]) else { return }
        // A job that pushes has delivered nothing yet.
        let isJob = arguments.contains { $0 == "--push" || $0.hasPrefix("--push=") }
        for number in [SIGTERM, SIGINT] {
            // Nothing but what a signal handler may do.
            if isJob { signal(number) { _ in _exit(1) } } else { signal(number) { _ in _exit(0) } }
        }
    }
}

/// Standard input, output and error, where some were closed by who started the process.
enum StandardStreams {
    private static let closed = Mutex<Set<CInt>>([])

    /// Puts `/dev/null` in the place of each that is closed: the next file or socket that is opened would get its
    /// number, and be written to or read as if it were it.
    static func fillGaps() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            guard unsafe open("/dev/null", O_RDWR) == descriptor else { continue }
            _ = closed.withLock { $0.insert(descriptor) }
        }
    }

    static var isOutputClosed: Bool { closed.withLock { $0.contains(STDOUT_FILENO) } }

    /// Refuses to go on where what is to be printed would go nowhere.
    static func requireOutput() throws(CommandFailure) {
        guard isOutputClosed else { return }
        throw CommandFailure(
            "standard output is closed, and this command prints to it: give it a file, a pipe or /dev/null")
    }

    /// Refuses to go on where there is nothing to read.
    static func requireInput() throws(CommandFailure) {
        guard closed.withLock({ $0.contains(STDIN_FILENO) }) else { return }
        throw CommandFailure("standard input is closed, and is to be read: name a file, or give it a pipe or /dev/null")
    }
}
