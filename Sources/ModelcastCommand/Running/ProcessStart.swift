import Foundation
import Synchronization

/// The first steps of a process, taken before a file is opened or a thread is started.
enum ProcessStart {
    /// Sets the signal handlers, and opens the standard streams that are closed.
    /// - Parameter arguments: the arguments of the process, its name first.
    static func prepare(_ arguments: [String]) {
        catchSignals(arguments)
        StandardStreams.fillGaps()
    }

    /// Lets SIGTERM and SIGINT end a service that has not begun, with exit code 0, as there is nothing to end in good
    /// order. The service group takes the signals over when it runs.
    private static func catchSignals(_ arguments: [String]) {
        let services = ["publish", "subscribe", "relay", "gateway"]
        guard arguments.count > 1, services.contains(arguments[1]) else { return }
        // Grants are read again at SIGHUP. Until that is looked for, one must not end the process.
        if arguments.contains(where: { $0 == "--grants" || $0.hasPrefix("--grants=") }) { signal(SIGHUP, SIG_IGN) }
        // A job has not done yet what it was to do before its end, so the exit code is 1. A pushing gateway is none.
        let isJob =
            arguments[1] != "gateway"
            && arguments.contains { argument in
                ["--push", "--until-applied", "--until-live"].contains(argument) || argument.hasPrefix("--push=")
            }
        for number in [SIGTERM, SIGINT] {
            // A signal handler may call few functions; `write` and `_exit` are two of them.
            guard isJob else {
                signal(number) { _ in _exit(0) }
                continue
            }
            signal(number) { _ in
                let line: StaticString = "Error: stopped before it had begun\n"
                _ = unsafe write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount)
                _exit(1)
            }
        }
    }
}

/// Standard input, output and error, some of which the parent of the process may have closed.
enum StandardStreams {
    private static let closed = Mutex<Set<CInt>>([])

    /// Opens `/dev/null` in the place of each stream that is closed. Otherwise the next file or socket would get the
    /// number of that stream, and be written or read in its place.
    static func fillGaps() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            guard unsafe open("/dev/null", O_RDWR) == descriptor else { continue }
            _ = closed.withLock { $0.insert(descriptor) }
        }
    }

    static var isOutputClosed: Bool { closed.withLock { $0.contains(STDOUT_FILENO) } }

    /// Throws where standard output was closed, because what is printed would be lost.
    static func requireOutput() throws(CommandFailure) {
        guard isOutputClosed else { return }
        throw CommandFailure(
            "standard output is closed, and this command prints to it: give it a file, a pipe or /dev/null")
    }

    /// Throws where standard input was closed, because there is nothing to read.
    static func requireInput() throws(CommandFailure) {
        guard closed.withLock({ $0.contains(STDIN_FILENO) }) else { return }
        throw CommandFailure("standard input is closed, and is to be read: name a file, or give it a pipe or /dev/null")
    }
}
