import Foundation
import Synchronization

/// Lines on a terminal that are drawn over again and again. The cursor is hidden meanwhile.
public final class LiveScreen: Sendable {
    /// True when stdout is a terminal.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    private let lineCount = Mutex<Int?>(nil)

    /// A screen on stdout. Nothing is written yet.
    public init() {}

    /// Draws these lines over the last ones.
    public func draw(_ lines: [String]) {
        lineCount.withLock { count in
            var text = count.map { $0 > 0 ? "\u{1B}[\($0)A" : "" } ?? "\u{1B}[?25l\u{1B}[?7l"
            for line in lines { text += "\r\(line)\u{1B}[K\n" }
            text += "\u{1B}[J"
            count = lines.count
            write(text)
        }
    }

    /// Shows the cursor again. The last lines stay. A second call does nothing.
    public func restore() {
        lineCount.withLock { count in
            guard count != nil else { return }
            count = nil
            write("\u{1B}[?7h\u{1B}[?25h")
        }
    }

    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
