import Foundation

/// The demo from start to verdict.
public struct DemoRun: Sendable {
    let seconds: Double
    let replayRate: Double

    /// - Parameters:
    ///   - seconds: how long the demo runs.
    ///   - replayRate: how many lines of the file are replayed in a second.
    public init(seconds: Double, replayRate: Double) {
        self.seconds = seconds
        self.replayRate = replayRate
    }

    /// Runs the demo, and prints one line for each process at the end.
    /// - Returns: true when every subscriber holds what the publishers hold.
    public func run(_ trial: Trial, screen: LiveScreen, until interruption: Interruption) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelcast-demo-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("shop.ndjson").path
        try ReplayFile.write(to: file)

        try await trial.addPublisher("host", .host)
        try await trial.addPublisher("shop", .replay(path: file, linesPerSecond: replayRate))
        await trial.begin()
        try await watch(trial, screen, until: interruption)
        screen.restore()
        print("the publishers come to rest …")
        let isSettled = try await trial.settle(within: .seconds(20))
        if !isSettled { print("not all subscribers have applied everything within 20 s") }
        return await verdict(trial) && isSettled
    }

    /// Shows the table until the time is over, and starts the subscribers one after the other meanwhile.
    private func watch(_ trial: Trial, _ screen: LiveScreen, until interruption: Interruption) async throws {
        let starts = [0, 0.2, 0.5].map { $0 * seconds }
        let begin = ContinuousClock.now
        var started = 0
        var nextLine = 1.0
        while true {
            let elapsed = (ContinuousClock.now - begin) / .seconds(1)
            while started < starts.count, elapsed >= starts[started] {
                started += 1
                try await trial.addSubscriber("subscriber-\(started)", showsHost: true)
            }
            try await trial.refresh()
            let isOver = elapsed >= seconds || interruption.isRequested
            if LiveScreen.isTerminal {
                screen.draw(await lines(trial, elapsed: min(elapsed, seconds)))
            } else if elapsed >= nextLine || isOver {
                nextLine = elapsed + max(1, seconds / 10)
                print(await line(trial, elapsed: elapsed))
            }
            if isOver { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        // Ctrl-C may come before the last subscriber has started, and the verdict is about three.
        while started < starts.count {
            started += 1
            try await trial.addSubscriber("subscriber-\(started)", showsHost: true)
        }
    }

    private func lines(_ trial: Trial, elapsed: Double) async -> [String] {
        var table = TextTable(
            ["process", "state", "updates", "/s", "models", "holes", "memory", "digest"], left: [0, 1])
        for member in await trial.publishers {
            guard let report = member.report else { continue }
            table.add([
                member.name, "publishing", Figures.grouped(report.updates), Figures.grouped(member.rate),
                Figures.grouped(report.models), "", Figures.mebibytes(report.residentByteCount), report.digest,
            ])
        }
        let subscribers = await trial.subscribers
        for member in subscribers {
            guard let report = member.report else {
                table.add([member.name, "starting"])
                continue
            }
            table.add([
                member.name, report.state, Figures.grouped(report.updates), Figures.grouped(member.rate),
                Figures.grouped(report.models), "\(report.holesFound)", Figures.mebibytes(report.residentByteCount),
                report.digest,
            ])
        }
        let title = "Modelcast demo: two publishers, three subscribers, \(Figures.fixed(elapsed, 1)) of "
        var lines = ["\(title)\(Figures.fixed(seconds, 0)) s (Ctrl-C ends it)", ""] + table.lines + [""]
        for member in subscribers {
            if let note = member.report?.note { lines.append("\(member.name) sees: \(note)") }
        }
        return lines
    }

    private func line(_ trial: Trial, elapsed: Double) async -> String {
        var parts = ["\(Figures.fixed(elapsed, 1)) s"]
        for member in await trial.publishers {
            guard let report = member.report else { continue }
            parts.append("\(member.name) \(Figures.grouped(report.updates)) updates")
        }
        for member in await trial.subscribers {
            guard let report = member.report else { continue }
            parts.append("\(member.name) \(report.state) \(Figures.grouped(report.models)) models")
        }
        return parts.joined(separator: " · ")
    }

    private func verdict(_ trial: Trial) async -> Bool {
        // Each type has one publisher, so subscribers must hold the types of both together.
        let expected = await trial.publishers.flatMap { $0.report?.types ?? [] }.sorted { $0.type < $1.type }
        let columns = ["updates", "snapshot records", "models", "holes"]
        return await trial.printVerdict(columns, left: [0, 6], expected: expected) { member, report in
            [
                Figures.grouped(report.updates),
                member.isPublisher ? "" : Figures.grouped(report.snapshotRecords),
                Figures.grouped(report.models),
                member.isPublisher ? "" : "\(report.holesFound)",
            ]
        }
    }
}
