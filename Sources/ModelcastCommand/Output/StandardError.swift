import Foundation
import Modelcast

/// Standard error, for messages to people and for logs. Data goes to standard output.
enum StandardError {
    private static let lineByteCountMax = 8192

    /// Writes one line in one write. Control characters in the line are escaped, and a long line is cut. A write that
    /// fails is ignored, because a closed standard error is no reason to stop.
    static func write(line: String) {
        let line = line.shown(byteCountMax: lineByteCountMax)
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
