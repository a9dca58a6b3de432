import Foundation
import ZeroMQ

/// The machine and the build with which figures were measured. The figures mean nothing without them.
public struct MachineFacts: Codable, Hashable, Sendable {
    /// The name of the processor.
    public var processor: String
    /// How many cores the machine has.
    public var cores: Int
    /// The version of the Linux kernel.
    public var kernel: String
    /// The version of the Swift compiler.
    public var swift: String
    /// The version of libzmq.
    public var libzmq: String
    /// False for a debug build.
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

    /// The facts in one line.
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

    /// The version of the compiler that built this.
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
