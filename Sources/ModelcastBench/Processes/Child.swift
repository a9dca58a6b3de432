import Foundation
import Synchronization

/// A process that this one has started. Orders go to its stdin and reports come from its stdout, a line of JSON each.
///
/// The child is mostly this same executable with other arguments. It is spawned, not forked, because libzmq does not
/// survive a fork. A child with a ``ParentLink`` ends when its stdin closes, so it does not outlive this process.
public final class Child<Order: Encodable & Sendable, Report: Decodable & Sendable>: Sendable {
    /// The name of the process in messages.
    public let name: String
    private let process: Process
    private let input: FileHandle
    private let state = Mutex(State())

    private struct State {
        var reports: [Report] = []
        var isOver = false
        var badLine: String?
    }

    /// Starts this executable with other arguments.
    /// - Throws: ``BenchError`` when it cannot be started.
    public convenience init(name: String, arguments: [String]) throws {
        try self.init(name: name, launch: ChildLaunch(arguments: arguments))
    }

    /// Starts the program of a launch.
    /// - Throws: ``BenchError`` when it cannot be started.
    public init(name: String, launch: ChildLaunch) throws {
        self.name = name
        do {
            process = try launch.makeProcess()
        } catch {
            throw BenchError("\(name) could not be started: \(error.localizedDescription)")
        }
        let (toChild, fromChild) = (Pipe(), Pipe())
        process.standardInput = toChild
        process.standardOutput = fromChild
        input = toChild.fileHandleForWriting
        do {
            try process.run()
        } catch {
            throw BenchError("\(name) could not be started: \(error.localizedDescription)")
        }
        let output = fromChild.fileHandleForReading
        let thread = Thread { self.read(output) }
        thread.name = "read-\(name)"
        thread.start()
    }

    /// The process identifier.
    public var processIdentifier: Int32 { process.processIdentifier }

    private func read(_ output: FileHandle) {
        let decoder = JSONDecoder()
        var splitter = LineSplitter()
        while true {
            let data = output.availableData
            if data.isEmpty { break }
            for line in splitter.add(data) {
                let report = try? decoder.decode(Report.self, from: Data(line))
                state.withLock { state in
                    if let report {
                        state.reports.append(report)
                    } else {
                        state.badLine = String(decoding: line, as: UTF8.self)
                    }
                }
            }
        }
        state.withLock { $0.isOver = true }
    }

    /// Sends an order. A child that has ended is noticed when its report is awaited.
    public func tell(_ order: Order) {
        guard let data = try? JSONEncoder().encode(order) else { return }
        try? input.write(contentsOf: data + [0x0A])
    }

    /// The reports that have come since the last call.
    /// - Throws: ``BenchError`` when the child has ended, or has written a line that is no report.
    public func drain() throws -> [Report] {
        let (reports, isOver, badLine) = state.withLock { state in
            defer { state.reports = [] }
            return (state.reports, state.isOver, state.badLine)
        }
        if let badLine { throw BenchError("\(name) said what is no report: \(badLine)") }
        if isOver, reports.isEmpty { throw BenchError("\(name) has ended before it should; see its words above") }
        return reports
    }

    /// The reports that have come since the last call, also from a child that has ended.
    /// - Throws: ``BenchError`` when the child has written a line that is no report.
    public func take() throws -> [Report] {
        let (reports, badLine) = state.withLock { state in
            defer { state.reports = [] }
            return (state.reports, state.badLine)
        }
        if let badLine { throw BenchError("\(name) said what is no report: \(badLine)") }
        return reports
    }

    /// The next report.
    /// - Throws: ``BenchError`` when the child ends first, writes a line that is no report, or has not reported within
    ///   `limit`; `CancellationError` when the task is cancelled.
    public func next(within limit: Duration) async throws -> Report {
        let deadline = ContinuousClock.now + limit
        while true {
            try Task.checkCancellation()
            let (report, isOver, badLine) = state.withLock { state -> (Report?, Bool, String?) in
                (state.reports.isEmpty ? nil : state.reports.removeFirst(), state.isOver, state.badLine)
            }
            if let report { return report }
            if let badLine { throw BenchError("\(name) said what is no report: \(badLine)") }
            if isOver { throw BenchError("\(name) has ended before it should; see its words above") }
            guard ContinuousClock.now < deadline else { throw BenchError("\(name) did not answer within \(limit)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Sends an order and waits for the next report.
    /// - Throws: as ``next(within:)`` does.
    public func ask(_ order: Order, within limit: Duration) async throws -> Report {
        tell(order)
        return try await next(within: limit)
    }

    /// Closes the child's stdin, which asks it to end.
    public func release() { try? input.close() }

    /// Closes the child's stdin, waits two seconds at most for its end, and kills it if it still runs.
    public func end() async {
        release()
        _ = await hasEnded(within: .seconds(2))
        kill()
    }

    /// Waits for the end of the process.
    /// - Returns: false when it still runs after `limit`.
    public func hasEnded(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while process.isRunning {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// True while the process exists, stopped or not.
    public var isRunning: Bool { process.isRunning }

    /// How the process ended, in words for a person.
    public var endText: String {
        guard !process.isRunning else { return "running" }
        let isSignal = process.terminationReason == .uncaughtSignal
        return "\(isSignal ? "signal" : "exit code") \(process.terminationStatus)"
    }

    /// Sends a signal to the process, if it still exists.
    public func signal(_ number: Int32) {
        if process.isRunning { _ = Foundation.kill(process.processIdentifier, number) }
    }

    /// Kills the child at once.
    public func kill() { signal(SIGKILL) }
}
