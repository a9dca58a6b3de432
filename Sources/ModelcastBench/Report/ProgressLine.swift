import Foundation
import Synchronization

/// One line on a terminal that shows the progress of a measurement. It is written over again and again, and erased at
/// the end.
public final class ProgressLine: Sendable {
    private struct State {
        var progress: BenchProgress?
        var ticking: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let start: UInt64
    private let now: @Sendable () -> UInt64
    private let columns: @Sendable () -> Int
    private let write: @Sendable (String) -> Void

    /// A line on standard error.
    public convenience init() {
        self.init(
            now: { MonotonicClock.nanoseconds }, columns: { ProgressLine.terminalColumns },
            write: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) })
    }

    /// - Parameters:
    ///   - now: nanoseconds of a clock that does not go back.
    ///   - columns: the present width of the terminal.
    ///   - write: sends text to the terminal.
    init(
        now: @escaping @Sendable () -> UInt64, columns: @escaping @Sendable () -> Int,
        write: @escaping @Sendable (String) -> Void
    ) {
        (self.now, self.columns, self.write) = (now, columns, write)
        start = now()
    }

    /// True when standard error is a terminal that can erase a line.
    public static var isPossible: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    private static var terminalColumns: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes the progress. From then on the line is written anew every second, with the time.
    public func show(_ progress: BenchProgress) {
        state.withLock { state in
            state.progress = progress
            if state.ticking == nil {
                state.ticking = Task { [weak self] in
                    while !Task.isCancelled, self?.draw() != nil { try? await Task.sleep(for: .seconds(1)) }
                }
            }
        }
        draw()
    }

    /// Erases the line. Nothing more is written until ``show(_:)``.
    public func erase() {
        state.withLock { state in
            state.ticking.take()?.cancel()
            guard state.progress.take() != nil else { return }
            write("\r\u{1B}[K")
        }
    }

    private func draw() {
        state.withLock { state in
            guard let progress = state.progress else { return }
            let seconds = Int((now() - start) / 1_000_000_000)
            // The last column stays free: a terminal may begin a new line after it.
            write("\r" + ProgressLine.text(progress, seconds: seconds, columns: columns() - 1) + "\u{1B}[K")
        }
    }

    /// The text of the line, such as `[2/11] latency · 10,000/s · round 1 of 3 · 0:23`. A line that is too long is cut
    /// before the time.
    static func text(_ progress: BenchProgress, seconds: Int, columns: Int) -> String {
        let (minutes, rest) = (seconds / 60, seconds % 60)
        let end = " · \(minutes):\(rest < 10 ? "0" : "")\(rest)"
        let begin = "[\(progress.number)/\(progress.count)] \(progress.scenario.rawValue) · \(progress.text)"
        guard begin.count + end.count > columns else { return begin + end }
        let room = columns - end.count - 1
        return room < 1 ? String((begin + end).prefix(max(0, columns))) : begin.prefix(room) + "…" + end
    }
}
