import Foundation
import Modelcast

/// The processes of a chaos trial, and the faults that are injected into them.
actor ChaosTrial {
    private let configuration: ChaosConfiguration
    private let sweep: ChaosSweep
    /// The arguments that make this executable a worker; the task follows.
    private let workerArguments: [String]
    /// The folder for the processes' stderr, a file each, and for their stores.
    let folder: String
    let network: ChaosNetwork?
    private(set) var nodes: [ChaosNode] = []
    /// True once no load and no job begins any more.
    private var isQuiescing = false

    private static let port = 7400

    /// - Parameter folder: a folder that exists.
    init(
        _ configuration: ChaosConfiguration, network: ChaosNetwork?, sweep: ChaosSweep, folder: String,
        workerArguments: [String]
    ) {
        self.configuration = configuration
        self.network = network
        self.sweep = sweep
        self.folder = folder
        self.workerArguments = workerArguments
        var indices: [ChaosRole: Int] = [:]
        for (number, target) in configuration.targets.enumerated() {
            // Without namespaces every process has a loopback address of its own, which needs no configuration. The
            // port is below those that the system gives away, so it stays free for a process that starts again.
            let run = Int(sweep.run) ?? 0
            let host =
                network?.attachments[target.name]?.host ?? "127.\(64 + run / 256 % 64).\(run % 256).\(number + 1)"
            nodes.append(
                ChaosNode(
                    name: target.name, role: target.role, index: indices[target.role, default: 0],
                    endpoint: "tcp://\(host):\(ChaosTrial.port)"))
            indices[target.role, default: 0] += 1
        }
    }

    // MARK: Starting

    func startAll() throws { for index in nodes.indices { try start(index) } }

    private func start(_ index: Int) throws {
        let node = nodes[index]
        var launch = ChildLaunch(arguments: try arguments(of: node))
        launch.environment = [ChaosSweep.variable: sweep.run]
        launch.errorPath = "\(folder)/\(node.name).log"
        if let attachment = network?.attachments[node.name], let ip = NetworkTool.ip.path {
            launch.prefix = [ip, "netns", "exec", attachment.namespace]
        }
        nodes[index].begin(try Child(name: node.name, launch: launch))
        // A publisher that starts again begins its load at once.
        if node.starts > 0, node.role == .publisher { nodes[index].child?.tell(.begin) }
    }

    /// The command line of a role, without the executable.
    private func arguments(of node: ChaosNode) throws -> [String] {
        switch node.role {
        case .publisher:
            let plan = ChaosPlan(
                writes: writes(of: node), generation: node.starts, isDurable: configuration.hasStore(node))
            return try worker(
                .publish(name: node.name, bind: node.endpoint, load: .chaos(plan), store: store(of: node)))
        case .relay:
            return try worker(
                .relay(
                    name: node.name, bind: node.endpoint,
                    publishers: endpoints(of: .publisher)
                        + endpoints(of: .relay).filter { $0 != node.endpoint },
                    store: store(of: node)))
        case .pusher:
            let job = ChaosJob(pusher: node.index, number: node.starts)
            let file = "\(folder)/\(node.name)-\(job.number).ndjson"
            try Data(job.input.utf8).write(to: URL(fileURLWithPath: file))
            return job.arguments(name: node.name, file: file, relays: endpoints(of: .relay))
        case .subscriber:
            let sources = endpoints(of: configuration.relays > 0 ? .relay : .publisher)
            return try worker(
                .subscribe(name: node.name, publishers: sources, showsHost: false, store: store(of: node)))
        }
    }

    /// The path of a process's store; nil for none.
    private func store(of node: ChaosNode) -> String? {
        configuration.hasStore(node) ? "\(folder)/\(node.name).store" : nil
    }

    private func worker(_ task: WorkerTask) throws -> [String] {
        workerArguments + [String(decoding: try JSONEncoder().encode(task), as: UTF8.self)]
    }

    private func endpoints(of role: ChaosRole) -> [String] {
        nodes.filter { $0.role == role }.map(\.endpoint)
    }

    private func writes(of node: ChaosNode) -> StressPlan {
        var plan = StressPlan(index: node.index, models: configuration.models, rate: configuration.rate)
        plan.seed = configuration.seed &+ UInt64(node.starts) &* 1_000
        return plan
    }

    /// Lets all publishers start their loads.
    func begin() { for node in nodes where node.role == .publisher { node.child?.tell(.begin) } }

    // MARK: Faults

    /// Begins a fault.
    func start(_ fault: ChaosFault, at name: String) async throws {
        guard let index = nodes.firstIndex(where: { $0.name == name }) else { return }
        // Between two jobs a pusher has no process. A kill or restart then puts its next job off.
        if fault == .kill || fault == .restart { nodes[index].willEnd() }
        if fault.isOfNetwork { try network?.start(fault, at: name) }
        guard let child = nodes[index].child else { return }
        switch fault {
        case .kill:
            child.kill()
            try await bury(index)
        case .restart:
            // A job does not end when its stdin closes, so it gets a signal.
            if nodes[index].role == .pusher { child.signal(SIGTERM) }
            child.release()
            try await bury(index)
        case .stop: child.signal(SIGSTOP)
        case .loss, .delay, .partition: break
        }
    }

    /// Ends a fault.
    func end(_ fault: ChaosFault, at name: String) throws {
        guard let index = nodes.firstIndex(where: { $0.name == name }) else { return }
        switch fault {
        case .kill, .restart: try start(index)
        case .stop: nodes[index].child?.signal(SIGCONT)
        case .loss, .delay, .partition: try network?.end(fault, at: name)
        }
    }

    private func bury(_ index: Int) async throws {
        guard let child = nodes[index].child else { return }
        // The limit is longer than an orderly end takes, and than it takes to write a crash to the log.
        guard await child.hasEnded(within: .seconds(10)) else {
            throw BenchError("\(nodes[index].name) did not end within 10 s of being told to; see its log")
        }
        try nodes[index].didEnd()
    }

    // MARK: Watching

    /// Takes the processes' reports, and starts jobs that are due.
    /// - Throws: ``BenchError`` when a process has ended by itself.
    func refresh() throws {
        for index in nodes.indices {
            try nodes[index].refresh()
            if try nodes[index].nextJob() != nil, !isQuiescing { try start(index) }
        }
    }

    /// Waits until `isDone` returns true, and takes reports meanwhile.
    /// - Returns: false when it does not within `limit`.
    func wait(within limit: Duration, until isDone: @Sendable ([ChaosNode]) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while true {
            try refresh()
            if isDone(nodes) { return true }
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: Coming to rest

    /// Ends all loads.
    func quiesce() {
        isQuiescing = true
        for node in nodes where node.role == .publisher { node.child?.tell(.quiesce) }
    }

    /// The join of the publishers' records. Each publisher is asked for every id that it may ever have written.
    func joinOfPublishers() async throws -> ModelCache {
        let cache = ModelCache()
        for node in nodes where node.role == .publisher {
            try await Trial.join(writes(of: node).ids, of: node.endpoint, into: cache)
        }
        return cache
    }

    /// Lets a process write its copy to a file.
    /// - Returns: false when it has not within ten seconds.
    func write(_ name: String, to path: String) async throws -> Bool {
        guard let index = nodes.firstIndex(where: { $0.name == name }) else { return false }
        nodes[index].child?.tell(.write(path: path))
        return try await wait(within: .seconds(10)) { $0[index].hasWritten }
    }

    // MARK: Ending

    /// Ends all processes, in good order where that works, and removes the network.
    /// - Returns: what is left over all the same, a line for each kind.
    func end() async -> [String] {
        let children = nodes.compactMap(\.child)
        for node in nodes where node.role == .pusher { node.child?.signal(SIGTERM) }
        for index in nodes.indices { nodes[index].willEnd() }
        for child in children {
            child.signal(SIGCONT)
            child.release()
        }
        for child in children { await child.end() }
        for child in children { _ = await child.hasEnded(within: .seconds(5)) }
        let processes = sweep.processes
        for link in sweep.links { try? NetworkTool.ip.run(["link", "delete", link]) }
        for namespace in sweep.namespaces { try? NetworkTool.ip.run(["netns", "delete", namespace]) }
        // Processes that have to be killed here are reported, because a process ought to end when it is asked to.
        let stubborn = processes.isEmpty ? [] : ["processes \(processes.map(String.init).joined(separator: ", "))"]
        sweep.remove()
        return stubborn + sweep.leftovers
    }
}
