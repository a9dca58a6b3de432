import Foundation

/// Why generated files cannot be written.
public struct OutputFailure: Error, Hashable, CustomStringConvertible {
    /// The path of the file or folder.
    public let path: String
    /// The reason, as the system tells it.
    public let reason: String

    init(_ path: String, _ error: any Error) {
        self.path = path
        reason = ((error as? CocoaError)?.underlying ?? error).localizedDescription
    }

    /// The path and the reason in one sentence.
    public var description: String { "\(path) cannot be written: \(reason)" }
}
