import Foundation
import Modelcast

/// Standard error: for people and for logs. Data goes to standard output.
enum StandardError {
    private static let lineByteCountMax = 8192

    /// Writes one line at once, whatever the line quotes; a closed standard error is no reason to stop.
    static func write(line: String) {
        let line = line.shown(byteCountMax: lineByteCountMax)
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
