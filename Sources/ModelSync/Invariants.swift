package import ModelWire

/// The invariants of the state machines: bounds, and sums that are kept up to date, which must hold at any moment. Only
/// tests and the simulator ask for them, so nothing else pays for it.
///
/// Each function returns a text on the first invariant that does not hold, or nil. It looks at everything that is held.
/// - Complexity: O(*what is held beside the copy*).
extension Replica {
    /// The first invariant of the replica that does not hold; nil where all do.
    package func brokenInvariant() -> String? {
        if let fault = groups.brokenInvariant() { return fault }
        for stream in streams.values {
            if stream.tracker.ahead.count > SequenceTracker.aheadCountMax { return "too many runs beyond a hole" }
            if stream.isUnsettled, !stream.isListed { return "a stream of \(stream.key.origin) is mended by nobody" }
            if stream.tellers.count > sessions.count { return "a stream has more tellers than there are senders" }
            if let staging = stream.repair?.request?.staging, staging.isFull { return "a repair stages too much" }
        }
        if !streams.unsettled.isWellCounted || streams.values.count(where: \.isListed) != streams.unsettled.count {
            return "the unsettled streams, or their repairs, are miscounted"
        }
        if let fault = streams.brokenInvariant() ?? origins.brokenInvariant() { return fault }
        if streams.unsettled.count > streams.count { return "a stream stands twice among the unsettled" }
        if sessions.contains(where: { $0.staging?.isFull ?? false }) { return "a snapshot stages too much" }
        for (rid, sender, purpose) in requests.all {
            let isKnown =
                switch purpose {
                case .repair(let stream):
                    stream.repair?.request?.rid == rid && stream.repair?.request?.sender == sender
                case .audit(let type): audits[type]?.rid == rid
                case .fetch(let number): fetches[number]?.isOpen(rid) ?? false
                }
            if !isKnown { return "request \(rid) belongs to nothing that is under way" }
        }
        return streams.topics.count > TopicNames.countMax ? "too many topic names are remembered" : nil
    }
}

extension Replica {
    /// A line on each stream: what is applied, claimed and told, and what is awaited. For the story of a failed seed.
    package func streamTexts() -> [String] {
        streams.entries.values.sorted { $0.precedes($1) }.map { stream in
            let tellers = stream.tellers.map { teller in
                let name = label(teller.sender)
                let equal = teller.wasEqual ? " equal" : ""
                return "\(name) \(teller.head.map(String.init) ?? "-")@\(teller.incarnation)\(equal)"
            }
            let claims = stream.claims.map { claim in
                let doubts = claim.doubted.map { "\(label($0.key)) \($0.value.head)" }.sorted()
                return "\(claim.claimant.map(label) ?? "store") \(claim.former.applied)..\(claim.through) \(doubts)"
            }
            let flags = [
                stream.isPushed ? "pushed" : nil, stream.isUntold ? "untold" : nil,
                stream.holdsUntold ? "holds untold" : nil,
                stream.beginning.isRestored ? "restored" : nil, stream.claimedStart != nil ? "start claimed" : nil,
                stream.beginning.awaitedSince.map { "beginning awaited since \($0)" },
                stream.holeSince.map { "hole since \($0)" },
                stream.repair.map { "repair of \($0.finding.rawValue)\($0.isInVain ? " in vain" : "")" },
            ]
            return "\(stream.key.origin) \(stream.key.topic) start \(stream.incarnation) applied "
                + "\(stream.tracker.applied) ahead \(stream.tracker.ahead) head \(stream.tracker.head); "
                + "told by \(tellers); claims \(claims); \(flags.compactMap(\.self).joined(separator: ", "))"
        }
    }

    /// The missing sequences of a stream before its last known one, in runs. For the simulator.
    package func missingRuns(of origin: String, on topic: Topic) -> [ClosedRange<UInt64>] {
        guard let stream = streams[StreamKey(origin: origin, topic: topic)] else { return [] }
        var runs: [ClosedRange<UInt64>] = []
        var next: UInt64 = 1
        while let run = stream.tracker.gap(from: next, countMax: .max) {
            runs.append(run)
            guard run.upperBound < .max else { break }
            next = run.upperBound + 1
        }
        return runs
    }

    /// How often models that are held were compared with what senders hold.
    package var comparisonCount: UInt64 { fetches.comparisonCount }

    /// Heads had no room for the stream since it was met, so nobody is told of it.
    package func isUntold(_ origin: String, on topic: Topic) -> Bool {
        streams[StreamKey(origin: origin, topic: topic)]?.isUntold ?? false
    }

    /// The stream is followed. For the simulator.
    package func follows(_ origin: String, on topic: Topic) -> Bool {
        streams[StreamKey(origin: origin, topic: topic)] != nil
    }

    /// The senders that have spoken of the stream. For the simulator.
    package func tellers(of origin: String, on topic: Topic) -> [SenderID] {
        streams[StreamKey(origin: origin, topic: topic)]?.tellers.map(\.sender) ?? []
    }

    /// How many parts of transactions wait for others. For the simulator.
    package var heldPartCount: Int { groups.partCount }

    /// How many parts of transactions others wait for. For the simulator.
    package var awaitedPartCount: Int { groups.awaitedCount }

    /// How many runs of batches are in the copy beyond holes: no head tells them. For the simulator.
    package var runsBeyondHoles: Int { streams.values.reduce(0) { $0 + $1.tracker.ahead.count } }
}

extension Origin {
    /// The first invariant of the origin that does not hold; nil where all do.
    package func brokenInvariant() -> String? {
        if Set(topics.open).count != topics.open.count { return "a topic is open twice" }
        if let index = topics.indices.first(where: { topics[$0].isOpen != topics.open.contains($0) }) {
            return "\(topics[index].topic) is open and not listed, or listed and not open"
        }
        return ring.brokenInvariant() ?? service.brokenInvariant() ?? forgottenExpiry()
    }
}

extension RelayMachine {
    /// The first invariant of the relay that does not hold; nil where all do.
    package func brokenInvariant() -> String? {
        replica.brokenInvariant() ?? ring.brokenInvariant() ?? service.brokenInvariant() ?? pushes.brokenInvariant()
    }
}

extension ControlService {
    fileprivate func brokenInvariant() -> String? {
        let all = peers.byIdentity.values
        if all.count > peers.peerCountMax { return "too many peers are remembered" }
        if all.reduce(0, { $0 + $1.cursors.count }) != peers.cursorCount { return "the snapshots are miscounted" }
        if all.reduce(0, { $0 + $1.answerCount }) != peers.answerCount { return "the answers are miscounted" }
        // One snapshot of each peer is always admitted.
        if peers.cursorCount > configuration.budget.cursorCount + all.count {
            return "too many snapshots are under way"
        }
        for peer in all {
            if peer.cursors.count > configuration.budget.cursorsPerPeer { return "a peer has too many snapshots" }
            if peer.pushCount > configuration.budget.pushesPerPeer { return "a peer has too many pushes waiting" }
            if peer.cursors.values.contains(where: { !(0...SnapshotCursor.creditMax).contains($0.credit) }) {
                return "a snapshot has more credit than there is"
            }
        }
        return nil
    }
}
