/// Updates applied a second, beside those of Redis and NATS.
extension Measurement {
    /// Measures Modelcast under the canonical load with its observers, and each peer with a watcher that counts.
    ///
    /// Each round of a peer stands between two of Modelcast, with one call each and with several a call, and is
    /// compared with those.
    func measurePeers() async throws -> BenchPart {
        guard let peers = plan.peers else { throw BenchError(BenchPeers.instruction) }
        try peers.check()
        var part = BenchPart(.peers)
        let pair = try await startPair(plan)
        try await observeCanonically(pair.subscriber)
        let kinds = [("\(plan.batch) a call", plan.batch), ("one call each", 1)]
        let all = BenchPeer.all(of: peers)
        var rates = all.map { _ in kinds.map { _ in BenchRounds() } }
        var reports: [PeerReport?] = all.map { _ in nil }
        var run = 1
        // Measures Modelcast: updates a second of each kind.
        func modelcast(run: Int) async throws -> [Double] {
            var rates: [Double] = []
            for (index, (_, batch)) in kinds.enumerated() {
                let round = try await throughput(
                    pair.publisher, pair.subscriber, batch: batch, run: run + index, isObserved: true)
                rates.append(round.updatesPerSecond)
            }
            return rates
        }
        tell("Modelcast")
        var before = try await modelcast(run: run)
        for round in 1...max(1, plan.rounds) {
            for (index, peer) in all.enumerated() {
                tell("\(peer.name), then Modelcast · round \(round) of \(plan.rounds)")
                let report = try await withFolder {
                    try await PeerRun(peer: peer, peers: peers, models: plan.models, folder: $0).measure()
                }
                reports[index] = report
                run += kinds.count
                let after = try await modelcast(run: run)
                for kind in kinds.indices {
                    rates[index][kind].add(baseline: report.perSecond)
                    // The harmonic mean: the rate of one round with as many updates before as after.
                    let around = 2 / (1 / before[kind] + 1 / after[kind])
                    rates[index][kind].add(around, around: report.perSecond)
                }
                before = after
            }
        }
        for (index, peer) in all.enumerated() {
            for (kind, rounds) in zip(kinds, rates[index]) {
                part.figures.append(
                    BenchFigure(
                        "updates applied, \(kind.0)", .perSecond, rounds, against: peer.name, mark: peer.mark))
            }
            if let report = reports[index] { part.notes.append(report.note(peer)) }
        }
        return part
    }
}
