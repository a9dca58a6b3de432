import Foundation
import ZeroMQ

/// Where figures were measured: they mean nothing without it.
public struct MachineFacts: Codable, Hashable, Sendable {
    public var processor: String
    public var cores: Int
    public var kernel: String
    public var swift: String
    public var libzmq: String
    public var isOptimized: Bool

    /// This machine and this build.
    public static var current: MachineFacts {
        var isDebug = false
        // Evaluated in debug builds only.
        assert(
            {
                isDebug = true
                return true
            }())
        return MachineFacts(
            processor: processorName, cores: ProcessInfo.processInfo.activeProcessorCount, kernel: kernel,
            swift: swiftVersion, libzmq: Context.libraryVersion, isOptimized: !isDebug)
    }

    /// In one line.
    public var line: String {
        "\(processor), \(cores) cores, Linux \(kernel), Swift \(swift), libzmq \(libzmq)"
            + (isOptimized ? "" : ", DEBUG BUILD: these figures mean nothing")
    }

    private static var processorName: String {
        for line in ProcFile.words("/proc/cpuinfo") where line.starts(with: ["model", "name"]) {
            return line.dropFirst(2).joined(separator: " ")
        }
        return "unknown processor"
    }

    private static var kernel: String {
        (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }

    /// The compiler that made this.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
