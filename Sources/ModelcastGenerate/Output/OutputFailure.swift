import Foundation

/// Why generated files cannot be written.
public struct OutputFailure: Error, Hashable, CustomStringConvertible {
    public let path: String
    public let reason: String

    init(_ path: String, _ error: any Error) {
        self.path = path
        reason = ((error as? CocoaError)?.underlying ?? error).localizedDescription
    }

    public var description: String { "\(path) cannot be written: \(reason)" }
}
