import ModelCache
import ModelRecord
import ModelReference
import ModelSync
import ModelWire

extension Simulation {
    /// Makes the network good, sets the clocks right and starts all nodes that are down, then lets time pass until
    /// every copy is live and equals what was published.
    ///
    /// An update that a publisher had not stored may be lost with it; copies may then hold it or not.
    /// - Throws: ``SimulationFailure`` when the copies are not equal within `milliseconds` of simulated time, or when a
    ///   checker found something before.
    public func settle(within milliseconds: UInt64 = 120_000) throws(SimulationFailure) {
        awaitContinued()
        if let failure { throw failure }
        tell(nil, "the network is good, the clocks are right, everybody runs")
        conditions = .good
        for index in links.indices { heal(index) }
        for node in nodes {
            node.clockOffsetMilliseconds = 0
            node.hasLeapt = false
            // A job that has died stays dead.
            if node.kind == .job { end(node.id) } else { restart(node.id) }
            // The start may have set the clock ahead of the last stamp.
            node.clockOffsetMilliseconds = 0
        }
        // Every tenth heartbeat tells all heads: by then every loss on the bad network has been noticed.
        run(milliseconds: settings.heartbeatInterval.wholeMicroseconds * 11 / 1000)
        awaitEqualCopies(within: milliseconds)
        if nodes.contains(where: { !evicted(of: $0).isEmpty }), failure == nil {
            // What a copy still holds is right. So must be what it fetches.
            liftLimits()
            for node in nodes { fetch(node) }
            awaitEqualCopies(within: milliseconds)
        }
        if settings.hasSignatures, failure == nil {
            // Signed heads come with every tenth heartbeat.
            run(milliseconds: settings.heartbeatInterval.wholeMicroseconds * 11 / 1000)
        }
        if settings.hasLeases, failure == nil {
            // A model that no run leases any more has ended by then, and one that a run leases is back.
            run(milliseconds: UInt64(2 * SimulationSettings.leaseMillisecondsMax) + 2_000)
            // A start that a liar has made up, which others may not take for their clocks, is doubted after 15 seconds.
            var secondsLeft = hasLiar ? 60 : 0
            while secondsLeft > 0, failure == nil, nodes.contains(where: { leaseFault($0) != nil }) {
                run(milliseconds: 1_000)
                secondsLeft -= 1
            }
            for node in nodes { if let fault = leaseFault(node) { fail(node, fault) } }
        }
        for node in nodes {
            if let fault = node.watch.observer?.look() { fail(node, fault) }
            checkAccounts(node)
            if !hasLiar, let part = node.replica?.partsNotAsSigned.first { fail(node, "\(part) is not as signed") }
            node.watch.stop()
        }
        if let failure { throw failure }
        tell(nil, "all copies are equal")
    }

    /// Lets time pass until all is at rest, and each copy holds what it must of the models that have not left it.
    private func awaitEqualCopies(within milliseconds: UInt64) {
        var end = time + milliseconds * 1000
        var hasWaited = false
        while failure == nil {
            if time >= end, !hasWaited, let wait = longestWaitForClock() {
                hasWaited = true
                end = time + wait + milliseconds * 1000
            }
            let isLast = time >= end
            if let unsettled = unsettled() {
                if isLast { fail(nil, "not at rest: \(unsettled)") }
            } else {
                let differences = differences(limit: isLast ? 10 : 1)
                if differences.isEmpty { break }
                if isLast { fail(nil, differences.joined(separator: "; ")) }
                askAgain()
            }
            run(milliseconds: 50)
            // One that had been deleted while it was away, and was written again since, has to be asked for again.
            if areLimitsLifted, failure == nil { for node in nodes where !evicted(of: node).isEmpty { fetch(node) } }
        }
    }

    /// How many microseconds pass until the stamps of every publisher are taken by all; nil where they are.
    ///
    /// A publisher whose clock was ahead starts anew unless a process has taken what lay ahead, because its own clock
    /// was ahead as well. Then the rest refuse its writes until the time of its stamps has come (guarantees article,
    /// clocks).
    private func longestWaitForClock() -> UInt64? {
        nodes.compactMap { node -> UInt64? in
            guard let origin = node.origin else { return nil }
            let lead = origin.clockLead(now: moment(node))
            guard lead > settings.clockLeadMax else { return nil }
            let isTaken = nodes.contains { other in
                other.replica?.streamStatus(now: moment(other)).contains {
                    $0.origin == node.name && $0.incarnation == origin.incarnation
                } ?? false
            }
            return isTaken ? (lead - settings.clockLeadMax).wholeMicroseconds : nil
        }.max()
    }

    /// The first thing that is not at rest.
    private func unsettled() -> String? {
        for node in nodes {
            if node.kind == .job, node.isUp { return "\(node.name) waits to be acknowledged" }
            if let origin = node.origin, origin.isLate(now: moment(node)) { return "\(node.name) ends a model late" }
            if areLimitsLifted, let key = evicted(of: node).first { return "\(node.name) has not fetched \(key)" }
            guard let replica = node.replica else { continue }
            let streams = replica.streamStatus(now: moment(node)).filter {
                $0.missing != 0 || $0.applied != $0.head
            }
            let heard = relays(heardBy: node)
            if let stream = streams.first(where: {
                !isBeyondReach($0, replica, hearing: heard) && !isForgotten($0, replica, node)
                    && !isFromTheFuture($0, node)
            }) {
                return "\(node.name) has applied \(stream.applied) of \(stream.head) batches of \(stream.origin) on "
                    + "\(stream.topic), \(stream.missing) missing" + others(stream.origin, stream.topic)
            }
            for sender in replica.senderStatus(now: moment(node)) where sender.state != .live {
                // A node waits for a liar to send the batches that the liar has made up.
                if nodes[links[node.listening[sender.sender.index]].server].liar != nil { continue }
                // After a later start that a liar has made up, a node awaits a takeover from all senders.
                if hasLiar, sender.state == .repairing, !replica.isStartingAnew { continue }
                // Batches of a job that are missing for good keep the state at `repairing`, as they should.
                if sender.state == .repairing, !streams.isEmpty, !replica.isStartingAnew { continue }
                return "\(node.name) is \(sender.state.rawValue) towards \(sender.name)"
            }
        }
        return nil
    }

    /// True when the stream cannot be completed: its first missing batch is a job's, and no relay that the node hears
    /// from holds it. No head reaches beyond a lost batch, so later ones may be in the copy, by a snapshot, and still
    /// count as missing.
    private func isBeyondReach(_ stream: StreamStatus, _ replica: Replica, hearing relays: Set<Int>) -> Bool {
        // A liar may withhold its own batches. A relay does not tell of a liar's later start either, because a sender
        // that tells of others looks like a relay.
        let liar = nodes.first { $0.name == stream.origin && $0.liar != nil }
        if let liar, liar.liar?.isUnreliable ?? false || liar.life > 0 { return true }
        let missing = replica.missingRuns(of: stream.origin, on: stream.topic)
        let runs = hasLiar ? sent(missing, of: stream) : missing
        guard let first = runs.first?.first else { return hasLiar }
        // A relay whose heads have no room for the stream tells nobody that it holds the batch.
        let telling = relays.filter { !(nodes[$0].replica?.isUntold(stream.origin, on: stream.topic) ?? false) }
        return oracle.isLost(
            BatchID(origin: stream.origin, incarnation: stream.incarnation, topic: stream.topic, sequence: first),
            to: telling)
    }

    /// True when no sender that has told the node of the stream follows it any more. Those senders have started anew,
    /// and were not told of it again, as heads had no room for it. Its updates are in their copies.
    private func isForgotten(_ stream: StreamStatus, _ replica: Replica, _ node: SimulatedNode) -> Bool {
        settings.names != nil
            && replica.tellers(of: stream.origin, on: stream.topic).allSatisfy { teller in
                let sender = nodes[links[node.listening[teller.index]].server]
                return sender.name != stream.origin
                    && !(sender.replica?.follows(stream.origin, on: stream.topic) ?? false)
            }
    }

    /// True when the node follows a start that its origin had while the clocks of both were ahead, and hears of that
    /// origin through others only: the origin, whom nobody has told, has begun an earlier start (guarantees article,
    /// clocks).
    private func isFromTheFuture(_ stream: StreamStatus, _ node: SimulatedNode) -> Bool {
        guard let origin = nodes.first(where: { $0.name == stream.origin }), origin.hasWrittenAnew,
            let present = origin.origin?.incarnation
        else { return false }
        return stream.incarnation > present && !node.listening.contains { links[$0].server == origin.index }
    }

    /// The missing runs without the sequences that the origin has never sent: only liars tell of those.
    private func sent(_ missing: [ClosedRange<UInt64>], of stream: StreamStatus) -> [ClosedRange<UInt64>] {
        let last = oracle.lastSent[stream.origin]
        let head = last?.incarnation == stream.incarnation ? last?.heads[stream.topic] ?? 0 : 0
        return missing.filter { $0.lowerBound <= head }.map { $0.lowerBound...min($0.upperBound, head) }
    }

    /// The first fault in the leases of a node; nil where there is none. Readers must see each leased model exactly if
    /// the present run of its publisher leases it.
    private func leaseFault(_ node: SimulatedNode) -> String? {
        guard let copy = node.replica?.cache.snapshot() else { return nil }
        var found: String?
        for type in copy.types where found == nil {
            copy.forEach(type: type, includingTombstones: true) { record in
                guard record.exists, let lease = record.lease,
                    let origin = nodes.first(where: { $0.name == lease.version.origin })
                else {
                    if record.isWithdrawn { found = "\(type) \(record.id) is withdrawn without a lease" }
                    return found == nil
                }
                guard origin.liar == nil, let since = origin.origin?.leasesSince else { return true }
                let isHeld = lease.version.stamp >= since
                // An origin whose first heads of leases were lost, and which has ended then, was never known to lease.
                // And a liar may keep alive what no run leases.
                if !isHeld, hasLiar || !(node.replica?.watchesLeases(of: origin.name) ?? false) { return true }
                if isHeld == record.isWithdrawn {
                    let fault = isHeld ? "is withdrawn, and its publisher is there" : "is leased by no run, and shown"
                    found = "\(type) \(record.id) of \(origin.name) \(fault)"
                }
                return found == nil
            }
        }
        return found
    }

    /// Checks that each hole that was found has come to one end. A hole that filled by itself was perhaps never counted
    /// as found.
    private func checkAccounts(_ node: SimulatedNode) {
        for stream in node.replica?.streamStatus(now: moment(node)) ?? [] where !stream.hasOpenHole {
            let ends = stream.holesMended.values.reduce(0, +)
            guard !(stream.holesFound...stream.holesFound + stream.holesFilled).contains(ends) else { continue }
            fail(
                node,
                "of \(stream.holesFound) holes of \(stream.origin) on \(stream.topic) \(ends) have come to an end: "
                    + "\(stream.holesMended)")
        }
    }

    /// How far relays have come with a stream.
    private func others(_ origin: String, _ topic: Topic) -> String {
        nodes.compactMap { node in
            guard node.kind == .relay, let replica = node.replica else { return nil }
            let stream = replica.streamStatus(now: moment(node)).first { $0.origin == origin && $0.topic == topic }
            guard let stream else { return "; \(node.name) knows nothing of it" }
            return "; \(node.name) applied \(stream.applied), head \(stream.head), missing \(stream.missing)"
        }
        .joined()
    }

    /// The relays from which a node hears, directly or through others, and itself where it is one.
    func relays(heardBy node: SimulatedNode) -> Set<Int> {
        var found: Set<Int> = []
        var waiting = [node.index]
        while let index = waiting.popLast() {
            guard found.insert(index).inserted else { continue }
            waiting += nodes[index].listening.map { links[$0].server }
        }
        return found.filter { nodes[$0].kind == .relay }
    }

    /// The ways in which copies differ from what was published, and from those that they listen to.
    public func differences(limit: Int = .max) -> [String] {
        var expectations: [Set<Int>: [(least: OracleModel, most: OracleModel)]] = [:]
        let unsure = oracle.isForgetful ? oracle.modelsWithRiskyFloors : []
        var states: [Int: [OracleModel]] = [:]
        var result: [String] = []
        for node in nodes {
            guard let cache = node.cache else { continue }
            let held = oracle.models.map { key in
                cache.record(type: key.type, id: key.id, includingTombstones: true).map { OracleModel($0) }
                    ?? OracleModel()
            }
            states[node.index] = held
            // A publisher holds its own writes, and no other's.
            guard !node.holdsOnlyItsOwn else { continue }
            let relays = relays(heardBy: node)
            let expected = expectations[relays] ?? oracle.expectation(hearing: relays)
            expectations[relays] = expected
            for (index, key) in oracle.models.enumerated() where takesNow(key, node) && !unsure.contains(index) {
                // A lazy copy keeps no deletes of models that it has never held.
                if isFound(missing: key, node), keepsIDs(node) || !expected[index].least.exists { continue }
                if let fault = fault(of: held[index], index, expected[index]) {
                    result.append("\(node.name): \(key) \(fault)")
                    if result.count >= limit { return result }
                }
            }
        }
        for link in links {
            let (client, server) = (nodes[link.client], nodes[link.server])
            guard client.kind != .job, let mine = states[link.client], let theirs = states[link.server] else {
                continue
            }
            let incomparable = incomparableTypes(client, server)
            for (index, key) in oracle.models.enumerated() where takesNow(key, client) && !unsure.contains(index) {
                // An update that was lost with its origin may be in one copy and not in another, where digests are not
                // sent or cannot be compared.
                if !settings.hasDigests || incomparable.contains(key.type), oracle.isAtRisk(index) { continue }
                var joined = mine[index]
                // Records that a publisher has taken back may hold writes of others. Its copy is the measure for its
                // own writes only.
                joined.join(server.kind == .publisher ? theirs[index].written(by: server.name) : theirs[index])
                if isFound(missing: key, client), !joined.exists || keepsIDs(client) { continue }
                guard !isAtRest(mine[index], joined) else { continue }
                result.append(
                    "\(nodes[link.client].name) lacks of \(key) what \(nodes[link.server].name) holds: "
                        + "is \(mine[index]), with that \(joined)")
                if result.count >= limit { return result }
            }
        }
        for node in nodes where keepsIDs(node) {
            result += unlikeKnownIDs(of: node, states).prefix(limit - result.count)
        }
        return result
    }

    /// The ways in which what a copy knows of the ids of models that it does not hold differs from what its senders
    /// hold together.
    private func unlikeKnownIDs(of node: SimulatedNode, _ states: [Int: [OracleModel]]) -> [String] {
        guard let cache = node.cache else { return [] }
        let servers = node.listening.map { nodes[links[$0].server] }
        // A batch of which no head tells is found by digests alone, which no copy compares that does not hold all. So
        // is what a relay got after it had served a copy without it.
        if servers.contains(where: \.joinedLate) { return [] }
        let untold = servers.reduce(into: Set<String>()) { $0.formUnion(incomparableTypes(node, $1)) }
        // So is a model whose delete one sender had, and has forgotten, before it got the model from another.
        let unsure = oracle.isForgetful ? oracle.modelsWithRiskyFloors : []
        return oracle.models.enumerated().compactMap { index, key in
            guard node.takes(key), !oracle.isAtRisk(index), !unsure.contains(index), !untold.contains(key.type),
                cache.record(type: key.type, id: key.id, includingTombstones: true) == nil
            else { return nil }
            var joined = OracleModel()
            for server in servers {
                guard let theirs = states[server.index]?[index] else { continue }
                joined.join(server.kind == .publisher ? theirs.written(by: server.name) : theirs)
            }
            let isKnown = cache.presence(of: key.type, key.id) == .evicted
            // A liar's word on ids counts like that of any other sender.
            guard isKnown != joined.exists, !isKnown || !hasLiar else { return nil }
            // No head tells of a stream whose name has no room.
            if !isKnown, settings.names != nil { return nil }
            // Nor are the names of those kept who wrote a model and deleted it at one stamp.
            if isKnown, joined.floor?.stamp == joined.touched?.stamp { return nil }
            return "\(node.name) \(isKnown ? "takes" : "does not take") \(key) for a model that exists"
        }
    }

    /// The node subscribes to the model, and it has not left its copy. What a copy was never told is found by digests
    /// alone, which are not compared where models of the type have left it.
    private func takesNow(_ key: ModelKey, _ node: SimulatedNode) -> Bool {
        guard node.takes(key) else { return false }
        guard node.limits != nil, let cache = node.cache, cache.hasEvicted(key.type) else { return true }
        return isFound(missing: key, node)
            || cache.record(type: key.type, id: key.id, includingTombstones: true) != nil
    }

    /// The types whose digests are not compared: the client has applied a stream that the relay has not applied to the
    /// same point. Most often that is the stream of a job which has pushed to another relay alone.
    private func incomparableTypes(_ client: SimulatedNode, _ server: SimulatedNode) -> Set<String> {
        guard let replica = client.replica, let relay = server.replica else { return [] }
        func applied(_ replica: Replica, _ node: SimulatedNode) -> [String: UInt64] {
            var result: [String: UInt64] = [:]
            for stream in replica.streamStatus(now: moment(node)) where stream.applied > 0 {
                result["\(stream.origin) \(stream.incarnation) \(stream.topic)"] = stream.applied
            }
            return result
        }
        let theirs = applied(relay, server)
        var types: Set<String> = []
        for stream in replica.streamStatus(now: moment(client)) where stream.applied > 0 {
            let key = "\(stream.origin) \(stream.incarnation) \(stream.topic)"
            if theirs[key] != stream.applied, let type = stream.topic.type { types.insert(type) }
        }
        return types
    }

    /// True when the copy is right for all its readers.
    ///
    /// Models that exist, and all their known fields, must be equal always. Deletes and removals may be lacking in some
    /// cases, because digests count neither floors nor deleted models nor removed fields (protocol article, section 7).
    ///
    /// - Where an origin starts anew, after a crash or as jobs do, the writes of its earlier start travel by snapshots
    ///   alone, without sequences. A relay may serve a snapshot before it has them, and a node may never have heard of
    ///   a job's earlier start.
    /// - A liar that claims to hold what was lost hides the loss.
    /// - Where deletes are forgotten, one copy may forget a delete before another.
    /// - A relay of too many names tells no heads of some, and digests alone show what was lost of these.
    private func isAtRest(_ held: OracleModel, _ wanted: OracleModel) -> Bool {
        if held == wanted { return true }
        let maySomeLack =
            faults[.crash] > 0 || oracle.isForgetful || hasLiar || settings.names != nil || isRestOfStarts(held, wanted)
        guard maySomeLack, wanted.holds(held), held.exists == wanted.exists else { return false }
        return !held.exists || (held.touched == wanted.touched && held.knownCells == wanted.knownCells)
    }

    /// True when nothing is missing but writes of origins that have started anew.
    private func isRestOfStarts(_ held: OracleModel, _ wanted: OracleModel) -> Bool {
        var joined = held
        for origin in oracle.startedAnew { joined.join(wanted.written(by: origin)) }
        return joined == wanted
    }

    private func fault(
        of held: OracleModel, _ model: Int, _ expected: (least: OracleModel, most: OracleModel)
    ) -> String? {
        if expected.least == expected.most {
            return isAtRest(held, expected.least) ? nil : "is \(held) instead of \(expected.least)"
        }
        var joined = held
        joined.join(expected.least)
        // An update that need not have come here may have been a delete that is forgotten by now.
        if oracle.isForgetful, isAtRest(held, expected.most) { return nil }
        if !isAtRest(held, joined) { return "is \(held) and lacks some of \(expected.least)" }
        if !expected.most.holds(held) { return "is \(held), which is more than \(expected.most)" }
        return oracle.knows(held, of: model) ? nil : "holds cells that nobody published: \(held)"
    }
}
