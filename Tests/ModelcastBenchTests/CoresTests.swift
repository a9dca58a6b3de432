import Foundation
import Testing

@testable import ModelcastBench

/// The cores of a machine, and processes that stay on one.
@Suite(.timeLimit(.minutes(1))) struct CoresTests {
    @Test(arguments: [("0", [0]), ("0-3", [0, 1, 2, 3]), ("0,2-3,8", [0, 2, 3, 8])])
    func `a list of cores is read as the kernel writes it`(list: String, numbers: [Int]) {
        #expect(Cores.numbers(in: list[...]) == numbers)
    }

    @Test(arguments: ["", "a", "1-", "-1", "3-1", "1-2-3", "1,,2"])
    func `what is no list of cores is none`(list: String) {
        #expect(Cores.numbers(in: list[...]) == nil)
    }

    @Test func `this process may run on as many cores as the system says`() {
        var set = cpu_set_t()
        #expect(unsafe sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0)
        let count = unsafe withUnsafeBytes(of: &set) { unsafe $0.reduce(0) { $0 + $1.nonzeroBitCount } }
        #expect(Cores.allowed.count == count)
    }

    @Test(.enabled(if: Cores.canBind)) func `a process that is bound to a core may run on that one alone`() throws {
        for core in Cores.allowed {
            var launch = ChildLaunch(arguments: ["Cpus_allowed_list", "/proc/self/status"])
            launch.executable = "/bin/grep"
            launch.prefix = Cores.binding(to: core)
            let (process, output) = (try launch.makeProcess(), Pipe())
            process.standardOutput = output
            try process.run()
            let line = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(line.split(separator: "\t").last == "\(core)\n")
        }
    }
}
