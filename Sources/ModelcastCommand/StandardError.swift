import Foundation

/// Standard error: for people and for logs. Data goes to standard output.
enum StandardError {
    /// Writes one line at once; a closed standard error is no reason to stop.
    static func write(line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
