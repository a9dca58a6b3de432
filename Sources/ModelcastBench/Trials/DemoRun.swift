import Foundation

/// The demo from start to verdict.
public struct DemoRun: Sendable {
    let seconds: Double
    let replayRate: Double
    let folder: TrialFolder

    /// - Parameters:
    ///   - seconds: how long the demo runs; 0: until it is interrupted.
    ///   - replayRate: how many lines of the file are replayed in a second.
    ///   - folder: a folder for the file, which exists.
    public init(seconds: Double, replayRate: Double, folder: TrialFolder) {
        self.seconds = seconds
        self.replayRate = replayRate
        self.folder = folder
    }

    /// Makes keys and grants for all processes of the demo, as files in its folder.
    public func makeSecurity() throws -> TrialSecurity { try TrialSecurity(DemoAccess.members, in: folder) }

    /// Runs the demo, and prints one line for each process at the end. Of a trial with keys it also prints the grants,
    /// what was tried with and without one, and, where something was wrong, what the processes have logged.
    /// - Returns: true when every copy holds what the publishers hold, and everything was denied that was not granted.
    public func run(_ trial: Trial, screen: LiveScreen, until interruption: Interruption) async throws -> Bool {
        do {
            let isGood = try await carryOut(trial, screen, until: interruption)
            if !isGood { tellLogs(of: trial) }
            return isGood
        } catch {
            screen.restore()
            tellLogs(of: trial)
            throw error
        }
    }

    private func tellLogs(of trial: Trial) {
        guard let logs = trial.security?.logs, !logs.isEmpty else { return }
        for line in ["what the processes have logged:"] + logs { print(line) }
    }

    private func carryOut(_ trial: Trial, _ screen: LiveScreen, until interruption: Interruption) async throws -> Bool {
        let file = try folder.write(to: "shop.ndjson")
        try ReplayFile.write(to: file)
        if let security = trial.security {
            print("all is encrypted; each process has a key of its own, and may do what its line of grants says:")
            for line in DemoAccess.lines(of: security.members) { print(line) }
        }

        try await trial.addPublisher("host", .host)
        try await trial.addPublisher("shop", .replay(path: file, linesPerSecond: replayRate))
        if trial.security != nil { try await trial.addRelay(DemoAccess.relay) }
        await trial.begin()
        async let tries = trial.security == nil ? [] : DemoAccess.run(trial)
        try await watch(trial, screen, until: interruption)
        let results = try await tries
        screen.restore()
        print("the publishers come to rest …")
        let isSettled = try await trial.settle(within: .seconds(20))
        if !isSettled { print("not all subscribers have applied everything within 20 s") }
        let isEqual = await verdict(trial, beside: results)
        guard let security = trial.security else {
            if seconds > 0 { print("to look around: the same with --seconds 0 stays until Ctrl-C, with the inspector") }
            return isEqual && isSettled
        }
        print("(\(DemoAccess.relay) holds the Report of the job as well)")
        print("meanwhile three others have tried what they may and what they may not:")
        for line in DemoAccess.lines(of: results, security.members) { print(line) }
        return isEqual && isSettled && results.allSatisfy(\.isRight)
    }

    /// Shows the table until the time is over, and starts the subscribers one after the other meanwhile.
    private func watch(_ trial: Trial, _ screen: LiveScreen, until interruption: Interruption) async throws {
        let starts = [0, 0.2, 0.5].map { $0 * (seconds > 0 ? seconds : DemoRun.startSeconds) }
        let begin = ContinuousClock.now
        var started = 0
        var nextLine = 1.0
        var isAddressTold = LiveScreen.isTerminal
        while true {
            let elapsed = (ContinuousClock.now - begin) / .seconds(1)
            while started < starts.count, elapsed >= starts[started] {
                try await addSubscriber(started, to: trial)
                started += 1
            }
            try await trial.refresh()
            let isOver = (seconds > 0 && elapsed >= seconds) || interruption.isRequested
            if !isAddressTold, let address = await inspector(of: trial) {
                print("look into it with a browser: \(address)")
                isAddressTold = true
            }
            if LiveScreen.isTerminal {
                screen.draw(await lines(trial, elapsed: seconds > 0 ? min(elapsed, seconds) : elapsed))
            } else if elapsed >= nextLine || isOver {
                nextLine = elapsed + max(1, (seconds > 0 ? seconds : 100) / 10)
                print(await line(trial, elapsed: elapsed))
                // A pipe would get all lines at the end.
                fflush(nil)
            }
            if isOver { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        // Ctrl-C may come before the last subscriber has started, and the verdict is about three.
        while started < starts.count {
            try await addSubscriber(started, to: trial)
            started += 1
        }
    }

    /// The seconds by whose parts the subscribers of a demo without end start.
    private static let startSeconds = 15.0

    /// Adds one of the subscribers. The first one serves the inspector, where no keys say who may read.
    private func addSubscriber(_ index: Int, to trial: Trial) async throws {
        try await trial.addSubscriber(
            DemoAccess.subscribers[index], showsHost: true, isInspected: index == 0 && trial.security == nil)
    }

    private func inspector(of trial: Trial) async -> String? {
        await trial.copies.lazy.compactMap { $0.report?.inspector }.first
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
        let copies = await trial.copies
        for member in copies {
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
        let relay = trial.security == nil ? "" : "a relay, "
        let time = Figures.fixed(elapsed, 1) + (seconds > 0 ? " of \(Figures.fixed(seconds, 0))" : "")
        let title = "Modelcast demo: two publishers, \(relay)three subscribers, \(time) s (Ctrl-C ends it)"
        var lines = [title, ""] + table.lines + [""]
        if let address = await inspector(of: trial) { lines.append("look into it with a browser: \(address)") }
        for member in copies {
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
        for member in await trial.copies {
            guard let report = member.report else { continue }
            parts.append("\(member.name) \(report.state) \(Figures.grouped(report.models)) models")
        }
        return parts.joined(separator: " · ")
    }

    private func verdict(_ trial: Trial, beside results: [DemoAccess.Result]) async -> Bool {
        // Each type has one publisher, so subscribers must hold the types of both together. The relay also holds what
        // was pushed to it; a push that was not granted and got through all the same would make it differ.
        let expected = await trial.publishers.flatMap { $0.report?.types ?? [] }.sorted { $0.type < $1.type }
        let pushed = results.filter(\.attempt.isGranted).flatMap(\.report.types)
        let columns = ["updates", "snapshot records", "models", "holes"]
        return await trial.printVerdict(
            columns, left: [0, 6], expected: expected, more: [DemoAccess.relay: pushed]
        ) { member, report in
            [
                Figures.grouped(report.updates),
                member.isPublisher ? "" : Figures.grouped(report.snapshotRecords),
                Figures.grouped(report.models),
                member.isPublisher ? "" : "\(report.holesFound)",
            ]
        }
    }
}
