import ArgumentParser
import Foundation
import ModelcastBench

/// The command that Scripts/counts runs under callgrind and strace. It has no asynchronous main function, which would
/// let the first thread wait for a signal: valgrind up to 3.19 crashes at that.
@main
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelcast-count",
        abstract: "Does a part of an update's way, the same in every run, to be counted by Scripts/counts.")

    @Argument(help: "Which part: \(CountedPart.allCases.map(\.rawValue).joined(separator: ", ")).")
    var part: CountedPart

    @Option(help: "How many updates are counted: a multiple of 256.")
    var updates = 5_120

    func run() throws {
        var load = try CountedLoad(part, updates: updates)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(try load.run()), as: UTF8.self))
    }
}
