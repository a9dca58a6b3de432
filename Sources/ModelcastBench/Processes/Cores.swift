import Foundation

/// Two cores: one for the process that sends, one for the process that receives.
struct CorePair {
    let sender: Int
    let receiver: Int

    /// The first two cores that this process may run on; nil where there is one only, or no program that binds
    /// processes.
    static var available: CorePair? {
        let cores = Cores.allowed
        return cores.count > 1 && Cores.canBind ? CorePair(sender: cores[0], receiver: cores[1]) : nil
    }
}

/// The processor's cores, and command lines for processes that stay on one.
enum Cores {
    /// The numbers of the cores that this process may run on.
    static var allowed: [Int] {
        let line = ProcFile.words("/proc/self/status").first { $0.first == "Cpus_allowed_list" }
        return line.flatMap { $0.count > 1 ? numbers(in: $0[1]) : nil } ?? []
    }

    /// The numbers of a list as the kernel writes it: `0-3,8`.
    /// - Returns: nil for text that is no such list.
    static func numbers(in list: Substring) -> [Int]? {
        var numbers: [Int] = []
        for range in list.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last else {
                return nil
            }
            numbers += first...last
        }
        return numbers
    }

    private static let taskset = "/usr/bin/taskset"

    /// True when the program that binds processes to cores is installed.
    static var canBind: Bool { FileManager.default.isExecutableFile(atPath: taskset) }

    /// The command line in front of a process whose threads all stay on one core.
    static func binding(to core: Int) -> [String] { [taskset, "--cpu-list", "\(core)"] }
}
