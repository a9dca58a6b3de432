import Foundation

/// How a ``Child`` is started: as this executable with other arguments, perhaps in a network namespace, or as another
/// program that reads and writes in the same way.
public struct ChildLaunch: Sendable {
    /// The path of the program; nil for this executable.
    public var executable: String?
    /// The arguments of the program, without its name.
    public var arguments: [String]
    /// Variables that are added to the environment of this process.
    public var environment: [String: String] = [:]
    /// A command line in front that runs what follows it, such as `ip netns exec NAME`.
    public var prefix: [String] = []
    /// The file to which stderr is appended; nil for the stderr of this process.
    public var errorPath: String?

    /// A launch of this executable with these arguments.
    public init(arguments: [String]) { self.arguments = arguments }

    /// The whole command line.
    private var words: [String] {
        let this = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        return prefix + [executable ?? this] + arguments
    }

    /// A process that has not been started yet.
    func makeProcess() throws -> Process {
        let process = Process()
        let words = words
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        if !environment.isEmpty {
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        }
        if let errorPath {
            if !FileManager.default.fileExists(atPath: errorPath) {
                _ = FileManager.default.createFile(
                    atPath: errorPath, contents: nil, attributes: [.posixPermissions: 0o600])
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: errorPath))
            try file.seekToEnd()
            process.standardError = file
        }
        return process
    }
}
