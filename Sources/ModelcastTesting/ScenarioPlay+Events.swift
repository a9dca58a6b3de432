import ModelRecord
import ModelSync
import ModelWire

/// What happens in a scenario.
extension ScenarioPlay {
    mutating func play() throws {
        for _ in 0..<Int.random(in: 5...50, using: &generator) {
            try write()
            if !isCalm { disturb() }
            endJobs()
            let pause = UInt64([0, 0, 1, 5, 20, 150].pick(&generator))
            simulation.run(milliseconds: pause)
            if isForgetful, Int.random(in: 0..<15, using: &generator) == 0 { simulation.run(milliseconds: 12_000) }
            if let failure = simulation.failure { throw failure }
        }
        // Time to forget, while some are away.
        if isForgetful { simulation.run(milliseconds: UInt64([0, 20_000, 40_000].pick(&generator))) }
        if let failure = simulation.failure { throw failure }
        for node in publishers { simulation.flush(node.id) }
    }

    /// Somebody who may write.
    private mutating func writer() -> SimulatedNode {
        let jobs = jobs.filter { $0.isUp && !($0.job?.isEnding ?? true) && !simulation.isFull($0) }
        return jobs.isEmpty || Bool.random(using: &generator) ? publishers.pick(&generator) : jobs.pick(&generator)
    }

    private mutating func write() throws {
        let node = writer()
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
            }
        }
        let id = "\(isForgetful ? node.name + "-" : "")\(Int.random(in: 0...6, using: &generator))"
        return (write, ["User", "Order"].pick(&generator), id, fields)
    }

    /// Jobs come to their ends, and start again under their names.
    private mutating func endJobs() {
        guard !jobs.isEmpty, Int.random(in: 0..<10, using: &generator) == 0 else { return }
        let job = jobs.pick(&generator)
        if job.isUp { return simulation.end(job.id) }
        // A new start is met with a snapshot (protocol article, section 6), which counts as a mended hole: where
        // nothing breaks each job runs once.
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
    }

    /// It may be gone, or without word of those it listens to, for longer than deletes are remembered. No relay may be
    /// without word of anybody for so long: that is the condition under which what it serves brings nothing back.
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

    /// Where nothing broke nothing was mended: the barrier and the sequences see to it.
    ///
    /// But the parts of a transaction come to a relay one by one when they are pushed: it hands each on, and shows them
    /// when all are here. Who joins between two of them asks for the first again.
    func checkCalm() {
        let jobs = Set(simulation.nodes.filter { $0.kind == .job }.map(\.name))
        let pushed = simulation.oracle.steps.filter { jobs.contains($0.origin) }
            .reduce(0) { $0 + UInt64($1.topics.count) }
        for node in simulation.nodes {
            for name in ["holes_found", "malformed_frames", "digest_mismatches", "conflicting_cells"] {
                let expected = name == "holes_found" ? pushed : 0
                guard let count = node.counters[name], count > expected else { continue }
                simulation.fail(node, "\(name) is \(count) although nothing broke")
            }
        }
    }
}
