public import Foundation

/// A new, empty directory that is removed with everything in it when the last reference to it goes.
///
/// The path of the directory is short enough for an ipc endpoint, which has room for some hundred bytes.
public final class TemporaryDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// Makes the directory in /tmp.
    public init() throws {
        let name = "mc-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        url = URL(fileURLWithPath: "/tmp", isDirectory: true).appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        // A directory that cannot be removed is left to the system, which empties /tmp.
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of the file `name` in this directory.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
