import ModelRecord
import ModelSync
import ModelWire

/// The events of a scenario, and the checks at its end.
extension ScenarioPlay {
    mutating func play() throws {
        for _ in 0..<Int.random(in: 5...50, using: &generator) {
            try write()
            try writeLies()
            if !isCalm { disturb() }
            endJobs()
            fetch()
            let pause = UInt64([0, 0, 1, 5, 20, 150].pick(&generator))
            simulation.run(milliseconds: pause)
            if isForgetful, Int.random(in: 0..<15, using: &generator) == 0 { simulation.run(milliseconds: 12_000) }
            if let failure = simulation.failure { throw failure }
        }
        simulation.awaitContinued()
        // Deletes are forgotten in this time, while some nodes are away.
        if isForgetful { simulation.run(milliseconds: UInt64([0, 20_000, 40_000].pick(&generator))) }
        if let failure = simulation.failure { throw failure }
        if endsModels { simulation.run(milliseconds: 1_000) }
        for node in publishers { simulation.flush(node.id) }
    }

    /// A publisher or job that may write now.
    private mutating func writer() -> SimulatedNode {
        let jobs = jobs.filter { $0.isUp && !($0.job?.isEnding ?? true) && !simulation.isFull($0) }
        return jobs.isEmpty || Bool.random(using: &generator) ? publishers.pick(&generator) : jobs.pick(&generator)
    }

    private mutating func write() throws {
        let node = writer()
        guard !simulation.isStopped(node) else { return }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            var writes = WriteBatch(limits: .default)
            for _ in 0..<Int.random(in: 2...4, using: &generator) {
                let (write, type, id, fields) = draw(for: node)
                try writes.append(write, type: type, id: id, fields: fields)
            }
            _ = try simulation.transaction(at: node.id, writes)
        } else {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let (write, type, id, fields) = draw(for: node)
                _ = try simulation.write(at: node.id, write, type: type, id: id, fields: fields)
            }
            if Bool.random(using: &generator) { simulation.flush(node.id) }
        }
    }

    /// Now and then lets the liar write under its own name, as any publisher does.
    private mutating func writeLies() throws {
        guard let liar, liarWrites, Int.random(in: 0..<4, using: &liarGenerator) == 0 else { return }
        let id = "\(isForgetful ? "liar-" : "")\(Int.random(in: 0...6, using: &liarGenerator))"
        let write = [Write.merge, .merge, .replace, .delete].pick(&liarGenerator)
        let fields: Fields = write == .delete ? [:] : ["a": .int(Int64.random(in: 0...5, using: &liarGenerator))]
        _ = try simulation.write(at: liar.id, write, type: "User", id: id, fields: fields)
        simulation.flush(liar.id)
    }

    private mutating func draw(
        for node: SimulatedNode
    ) -> (write: Write, type: String, id: String, fields: Fields) {
        let write = [Write.merge, .merge, .merge, .replace, .assign, .delete].pick(&generator)
        var fields: Fields = [:]
        if write != .delete {
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let field = ["a", "b", "long_name", "address.city"].pick(&generator)
                fields[field] = [.null, .int(Int64.random(in: 0...5, using: &generator)), "text", [1, "x"]]
                    .pick(&generator)
                // Removed fields are to be forgotten, whether a merge of `undefined` removes them or an assignment of
                // less.
                if isForgetful, write == .merge, Int.random(in: 0..<3, using: &generator) == 0 {
                    fields[field] = .undefined
                }
            }
        }
        let (prefix, number) = (isForgetful ? node.name + "-" : "", Int.random(in: 0...6, using: &generator))
        let id = hasTwins ? TwinIDs.id(prefix, number) : "\(prefix)\(number)"
        if endsModels, write != .delete { fields["$expires"] = end(for: node) }
        // Nobody listens to a job, so it leases nothing.
        if simulation.settings.hasLeases, write != .delete, node.kind == .publisher { fields["$leaseMs"] = lease() }
        return (write, ["User", "Order"].pick(&generator), id, fields)
    }

    /// The end that a write gives its model; nil where it says nothing.
    private mutating func end(for node: SimulatedNode) -> Value? {
        switch Int.random(in: 0..<6, using: &expiryGenerator) {
        case 0: return .undefined
        case 1...3:
            let left = Int64([-50, 20, 200, 1_000, 5_000].pick(&expiryGenerator))
            return .int(Int64(simulation.moment(node).wallMilliseconds) + left)
        default: return nil
        }
    }

    /// The lease that a write gives its model; nil where it says nothing.
    private mutating func lease() -> Value? {
        switch Int.random(in: 0..<6, using: &leaseGenerator) {
        case 0: .undefined
        case 1...3: .int(Int64([200, 400, SimulationSettings.leaseMillisecondsMax].pick(&leaseGenerator)))
        default: nil
        }
    }

    /// Now and then ends a job, or starts one again under its name.
    private mutating func endJobs() {
        guard !jobs.isEmpty, Int.random(in: 0..<10, using: &generator) == 0 else { return }
        let job = jobs.pick(&generator)
        guard !simulation.isStopped(job) else { return }
        if job.isUp { return simulation.end(job.id) }
        // Replicas take a snapshot after a new start (protocol article, section 6), which counts as a mended hole. A
        // scenario in which nothing breaks may have none, so each job runs once there.
        if !isCalm { simulation.begin(job.id) }
    }

    private mutating func disturb() {
        if crashes, Int.random(in: 0..<12, using: &generator) == 0 {
            let node = simulation.nodes.pick(&generator)
            if node.isUp {
                simulation.crash(node.id, losesDisk: Int.random(in: 0..<4, using: &generator) == 0)
                let pause = UInt64((mayBeAway(node) ? [50, 600, 15_000, 25_000] : [5, 50, 600]).pick(&generator))
                // A job may be gone for good.
                if node.kind != .job || Bool.random(using: &generator) {
                    simulation.plan(after: pause) { $0.restart(node.id) }
                }
            }
        }
        if cuts, Int.random(in: 0..<10, using: &generator) == 0, !simulation.links.isEmpty {
            let link = Int.random(in: simulation.links.indices, using: &generator)
            let client = simulation.nodes[simulation.links[link].client]
            let milliseconds = (mayBeAway(client) ? [150, 15_000, 25_000] : [20, 150, 700]).pick(&generator)
            simulation.cut(link, milliseconds: UInt64(milliseconds))
        }
        if clockJumps, Int.random(in: 0..<15, using: &generator) == 0 { jump(simulation.nodes.pick(&generator)) }
        if stops, Int.random(in: 0..<8, using: &stopGenerator) == 0 { stop() }
        if !leaping.isEmpty, Int.random(in: 0..<8, using: &leapGenerator) == 0 { leap() }
    }

    /// Lets a wall clock be a day ahead for a moment: for less than an eighth of the time for which deleted models are
    /// remembered, as a leap that lasts longer is believed.
    private mutating func leap() {
        let nodes = simulation.nodes.filter {
            leaping.contains($0.kind) && $0.isUp && !$0.hasLeapt && $0.liar == nil && !simulation.isStopped($0)
        }
        guard !nodes.isEmpty else { return }
        let node = nodes.pick(&leapGenerator)
        let milliseconds = UInt64([20, 200, 800].pick(&leapGenerator))
        simulation.leap(node, milliseconds: milliseconds)
    }

    /// Stops a process for a while. While its clock is ahead, none is: it could not see that the leap is over.
    private mutating func stop() {
        let nodes = simulation.nodes.filter { $0.isUp && !$0.hasLeapt && $0.liar == nil }
        guard !nodes.isEmpty else { return }
        let node = nodes.pick(&stopGenerator)
        let long: [UInt64] = isForgetful ? mayBeAway(node) ? [15_000, 25_000] : [] : [3_000]
        simulation.stop(node, milliseconds: ([20, 200, 900] + long).pick(&stopGenerator))
    }

    /// True when the node may be gone, or without word of its senders, for longer than deletes are remembered. No relay
    /// may be without word of a sender for so long: only then does what it serves bring nothing back.
    private func mayBeAway(_ node: SimulatedNode) -> Bool {
        guard isForgetful else { return false }
        switch node.kind {
        case .relay: return false
        case .publisher: return !node.serving.contains { simulation.nodes[simulation.links[$0].client].kind == .relay }
        case .subscriber, .job: return true
        }
    }

    mutating func jump(_ node: SimulatedNode) {
        let reach = clockJumpMillisecondsMax
        simulation.setClock(node, offsetMilliseconds: Int64.random(in: -reach...reach, using: &generator))
    }

    // MARK: At rest

    /// Checks that digests have never differed at equal heads.
    ///
    /// Loss alone makes no copy differ from its publisher's at equal heads: a lost batch is a hole. The check leaves
    /// out three cases. Where a process has died with what it held, or has refused stamps too far ahead of its clock, a
    /// copy may hold what its sender does not. A relay that misses a batch has later ones already, and hands on records
    /// with them. A liar tells wrong digests.
    func checkDifferences() {
        guard simulation.settings.sabotage == nil, simulation.faults[.crash] == 0,
            simulation.faults[.clockBeyondLead] == 0, liar == nil
        else { return }
        for node in simulation.nodes {
            let servers = node.listening.map { simulation.nodes[simulation.links[$0].server].kind }
            guard !servers.contains(.relay), let count = node.counters["digest_mismatches"], count > 0 else { continue }
            simulation.fail(node, "digests differed \(count) times at equal heads, although no process has crashed")
        }
    }

    /// The counters that stay at zero unless something breaks.
    private static let neverCalm = [
        "holes_found", "malformed_frames", "digest_mismatches", "conflicting_cells", "contradicted_heads",
        "leases_ended",
    ]

    /// Checks that nothing was mended where nothing broke: barriers and sequences see to that. Six kinds of hole have
    /// a cause all the same.
    ///
    /// - The parts of a transaction come to a relay one by one. It hands each on, and shows them when all are here. A
    ///   node that joins between two parts asks for the earlier ones again: one hole for each part that waited then.
    /// - A relay that has joined between two batches of a push has a hole until it has asked for the first. What lies
    ///   beyond it is told by no head, so a node that joins meanwhile asks for that again.
    /// - A relay that has mended such a hole by a snapshot has no batch to hand on, so its listeners find the hole,
    ///   too.
    /// - A node that has the snapshot of one relay finds holes for what only another relay has, whose snapshot is still
    ///   on its way.
    /// - Where a job has given up a relay that fell behind, other relays tell what that relay never gets.
    /// - Where a job has ended before a relay had all parts of a transaction, that relay shows the others at last. What
    ///   it tells then is compared, and it may lack what only another relay has.
    func checkCalm() {
        let hasLaggard = simulation.nodes.contains {
            $0.hasGivenUpRelay || $0.kind == .relay && $0.counters["incomplete_groups"] ?? 0 > 0
        }
        for node in simulation.nodes {
            for name in Self.neverCalm {
                if name == "holes_found", hasLaggard || hearsOfSnapshots(node) { continue }
                let expected = name == "holes_found" ? UInt64(node.heldAtJoins) + node.foundWhileJoining : 0
                guard let count = node.counters[name], count > expected else { continue }
                simulation.fail(node, "\(name) is \(count) although nothing broke; \(expected) have a cause")
            }
        }
    }

    private func hearsOfSnapshots(_ node: SimulatedNode) -> Bool {
        node.listening.map { simulation.nodes[simulation.links[$0].server] }
            .contains { $0.counters["holes_mended_by_snapshot", default: 0] > 0 }
    }
}
