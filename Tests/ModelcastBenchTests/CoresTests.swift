import Foundation
import Testing

@testable import ModelcastBench

/// The cores of a machine, and processes that stay on one.
@Suite(.timeLimit(.minutes(15))) struct CoresTests {
    @Test(arguments: [("0", [0]), ("0-3", [0, 1, 2, 3]), ("0,2-3,8", [0, 2, 3, 8])])
    func `a list of cores is read as the kernel writes it`(list: String, numbers: [Int]) {
        #expect(Cores.numbers(in: list[...]) == numbers)
    }

    @Test(arguments: ["", "a", "1-", "-1", "3-1", "1-2-3", "1,,2"])
    func `what is no list of cores is none`(list: String) {
        #expect(Cores.numbers(in: list[...]) == nil)
    }

    @Test func `this process may run on as many cores as the system says`() throws {
        #expect(Cores.allowed.count == Int(try output(of: "/usr/bin/nproc").dropLast()))
    }

    @Test(.enabled(if: Cores.canBind)) func `a process that is bound to a core may run on that one alone`() throws {
        for core in Cores.allowed {
            let line = try output(
                of: "/bin/grep", ["Cpus_allowed_list", "/proc/self/status"], prefix: Cores.binding(to: core))
            #expect(line.split(separator: "\t").last == "\(core)\n")
        }
    }

    /// What a program prints.
    private func output(of program: String, _ arguments: [String] = [], prefix: [String] = []) throws -> String {
        var launch = ChildLaunch(arguments: arguments)
        (launch.executable, launch.prefix) = (program, prefix)
        let (process, pipe) = (try launch.makeProcess(), Pipe())
        process.standardOutput = pipe
        try process.run()
        defer { process.waitUntilExit() }
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
