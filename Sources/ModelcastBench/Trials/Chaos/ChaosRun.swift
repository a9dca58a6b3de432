import Foundation
import Modelcast

/// A chaos trial from start to verdict.
public struct ChaosRun: Sendable {
    private let configuration: ChaosConfiguration
    private let workerArguments: [String]
    private let interruption: Interruption
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - workerArguments: the arguments with which this program calls ``Worker/run(task:)``, without the task.
    ///   - interruption: ends the faults early when a signal has come.
    ///   - tell: receives lines for a person, as things happen.
    public init(
        _ configuration: ChaosConfiguration, workerArguments: [String], until interruption: Interruption,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.workerArguments = workerArguments
        self.interruption = interruption
        self.tell = tell
    }

    /// Removes the processes, namespaces and links of this process's trial, before this process ends. Blocks for some
    /// seconds at most.
    public static func removeAll() { ChaosSweep(run: "\(ProcessInfo.processInfo.processIdentifier)").remove() }

    /// Starts all processes, injects faults and ends them, waits, compares and prints the tables.
    /// - Returns: true when all copies are equal, the relays hold all acknowledged pushes, and nothing is left over.
    /// - Throws: ``BenchError`` when the trial could not be carried out or a process has ended by itself.
    public func run() async throws -> Bool {
        let sweep = ChaosSweep(run: "\(ProcessInfo.processInfo.processIdentifier)")
        let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("modelcast-chaos-\(sweep.run)")
            .path
        let folder = configuration.logs ?? temporary
        try? FileManager.default.removeItem(atPath: temporary)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The sweeper starts before anything that could be left over.
        let task = String(decoding: try JSONEncoder().encode(WorkerTask.sweep(run: sweep.run)), as: UTF8.self)
        let sweeper = try Child<WorkerOrder, WorkerReport>(name: "sweeper", arguments: workerArguments + [task])
        let trial = ChaosTrial(
            configuration, network: try await network(sweep), sweep: sweep, folder: folder,
            workerArguments: workerArguments)
        let outcome: Result<Bool, any Error>
        do { outcome = .success(try await carryOut(trial)) } catch { outcome = .failure(error) }
        let leftovers = await trial.end()
        for line in leftovers { tell("left over: \(line)") }
        if leftovers.isEmpty { tell("no process, namespace or link is left over") }
        await sweeper.end()
        let isGood = (try? outcome.get()) == true && leftovers.isEmpty
        if isGood {
            if configuration.logs == nil { try FileManager.default.removeItem(atPath: temporary) }
        } else {
            tell("what the processes said: \(folder)")
            tell("to run it again: \(configuration.commandLine)")
        }
        _ = try outcome.get()
        return isGood
    }

    private func network(_ sweep: ChaosSweep) async throws -> ChaosNetwork? {
        guard configuration.usesNamespaces else {
            tell("no network namespaces, as told: loss, delay and partition are skipped")
            return nil
        }
        let names = configuration.targets.map(\.name)
        do {
            let network = try await Blocking.run(named: "network") { try ChaosNetwork(names: names, sweep: sweep) }
            for note in network.notes { tell(note) }
            return network
        } catch {
            tell("loss, delay and partition are skipped: \(error)")
            return nil
        }
    }

    private func carryOut(_ trial: ChaosTrial) async throws -> Bool {
        let faults = ChaosFault.allCases.filter { !$0.isOfNetwork } + (trial.network?.faults ?? [])
        let schedule = ChaosSchedule(
            seed: configuration.seed, targets: configuration.targets, faults: faults, seconds: configuration.seconds)
        tell(
            "\(configuration.publishers) publishers, \(configuration.relays) relays, "
                + "\(configuration.subscribers) subscribers, \(configuration.pushers) pushers, "
                + "seed \(configuration.seed): \(schedule.steps.count) faults in "
                + "\(Figures.plain(configuration.seconds)) s"
        )
        try await trial.startAll()
        guard try await trial.wait(within: .seconds(30), until: { $0.isReady }) else {
            throw BenchError("not all subscribers were live within 30 s, before the first fault")
        }
        await trial.begin()
        let tally = try await inject(schedule, into: trial)
        tell("all faults have ended; coming to rest")
        return try await verdict(trial, tally: tally, available: faults)
    }

    /// Begins and ends the faults at their times. After an interruption no more faults begin, and those that have begun
    /// are ended.
    private func inject(_ schedule: ChaosSchedule, into trial: ChaosTrial) async throws -> ChaosTally {
        var tally = ChaosTally()
        var open: Set<String> = []
        let begin = ContinuousClock.now
        for moment in schedule.moments {
            let name = moment.step.target.name
            while (ContinuousClock.now - begin) / .seconds(1) < moment.time, !interruption.isRequested {
                try await Task.sleep(for: .milliseconds(20))
                try await trial.refresh()
            }
            if moment.isStart {
                guard !interruption.isRequested else { continue }
                let lasts = Figures.fixed(moment.step.end - moment.step.start, 1)
                tell("\(Figures.fixed(moment.time, 1)) s: \(moment.step.fault.rawValue) \(name), \(lasts) s")
                try await trial.start(moment.step.fault, at: name)
                tally.add(moment.step.fault, to: moment.step.target.role)
                open.insert(name)
            } else if open.remove(name) != nil {
                try await trial.end(moment.step.fault, at: name)
            }
        }
        return tally
    }

    // MARK: The end

    private func verdict(_ trial: ChaosTrial, tally: ChaosTally, available: [ChaosFault]) async throws -> Bool {
        let limit = Duration.seconds(configuration.restSeconds)
        let start = ContinuousClock.now
        await trial.quiesce()
        guard try await trial.wait(within: limit, until: { $0.isQuiet }) else {
            throw BenchError(
                "not all publishers ended their loads within \(Figures.plain(configuration.restSeconds)) s")
        }
        let join = try await trial.joinOfPublishers()
        let verdict = ChaosVerdict(expected: Worker.types(join))
        var isEqual = try await trial.wait(within: limit) { verdict.isEqual($0) }
        if isEqual {
            tell("equal \(Figures.fixed((ContinuousClock.now - start) / .seconds(1), 1)) s after the last fault")
            // Messages that are still on their way must change nothing, so the copies are compared again two heartbeats
            // later.
            let end = ContinuousClock.now + .seconds(1)
            _ = try await trial.wait(within: .seconds(2)) { _ in ContinuousClock.now >= end }
            isEqual = await verdict.isEqual(trial.nodes)
        }
        let report = ChaosReport(tally: tally, available: available, verdict: verdict, nodes: await trial.nodes)
        for line in report.lines { print(line) }
        if !isEqual { try await explain(trial, verdict, join) }
        return try await hasPushes(trial) && isEqual
    }

    /// Asks every relay for each model that was acknowledged, and prints the result.
    /// - Returns: true when all are there.
    private func hasPushes(_ trial: ChaosTrial) async throws -> Bool {
        let nodes = await trial.nodes
        guard configuration.pushers > 0, configuration.relays > 0 else { return true }
        let jobs = nodes.acknowledged
        var isComplete = true
        for node in nodes where node.role == .relay {
            let missing = try await ChaosJob.missing(jobs, at: node.endpoint)
            guard !missing.isEmpty else { continue }
            isComplete = false
            tell(
                "\(node.name): \(Figures.grouped(missing.count)) acknowledged models are missing, such as \(missing[0])"
            )
        }
        let count = Figures.grouped(jobs.count * ChaosJob.modelCount)
        print(
            "pushed: \(jobs.count) jobs, \(count) models acknowledged, " + (isComplete ? "all there" : "NOT ALL THERE"))
        return isComplete
    }

    /// Tells what is missing in which copy, and which fields differ.
    private func explain(_ trial: ChaosTrial, _ verdict: ChaosVerdict, _ join: ModelCache) async throws {
        for line in await verdict.complaintsAboutPushes(trial.nodes) { tell(line) }
        let expected = "\(trial.folder)/expected.tsv"
        try Worker.write(join, to: expected)
        for node in await trial.nodes.copies where !verdict.isEqual(node) {
            for line in verdict.complaints(about: node) { tell(line) }
            let actual = "\(trial.folder)/\(node.name).tsv"
            guard try await trial.write(node.name, to: actual) else { continue }
            let lines = try ChaosVerdict.differences(expected, actual, limit: 6)
            guard !lines.isEmpty else { continue }
            tell("\(node.name), expected (-) and held (+): type, id, field, version, value")
            for line in lines { tell("  \(line)") }
        }
    }
}

extension [ChaosNode] {
    /// The processes that hold copies.
    var copies: [ChaosNode] { filter(\.role.isCopy) }

    /// True when every publisher has reported, and every copy is live.
    var isReady: Bool {
        allSatisfy { node in
            switch node.role {
            case .publisher: node.report != nil
            case .relay, .subscriber: node.report?.isLive == true
            case .pusher: true
            }
        }
    }

    /// True when all loads and jobs have ended.
    var isQuiet: Bool {
        allSatisfy { node in
            switch node.role {
            case .publisher: node.isAtRest
            case .relay, .subscriber: true
            case .pusher: node.child == nil
            }
        }
    }

    /// All jobs that have ended with exit code 0.
    var acknowledged: [ChaosJob] { flatMap(\.acknowledged) }
}
