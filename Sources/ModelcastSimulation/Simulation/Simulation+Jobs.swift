public import ModelSync
import ModelWire

/// The progress of a simulated job.
struct JobState {
    let configuration: PusherConfiguration
    /// The job has written everything, and ends when all of it is acknowledged.
    var isEnding = false
    /// The job has ended or given up, and is not restarted.
    var hasEnded = false
    /// Why the job has given up; nil while it has not.
    var failure: String?
    /// The batches of its requests, by number.
    var requests: [UInt64: BatchID] = [:]
}

extension Simulation {
    /// Adds a short-lived process that pushes what it writes to relays, with ``write(at:_:type:id:fields:)`` like a
    /// publisher. It has no disk, listens to nobody and serves nobody.
    ///
    /// After ``end(_:)`` it is gone as soon as everything is acknowledged: by one relay, or by all. It may be crashed
    /// and restarted before that; it then starts with nothing, as a new incarnation.
    /// - Throws: `NameError` for a name that no origin may have.
    @discardableResult
    public func addJob(
        _ name: String, pushingTo relays: [NodeID], acknowledgement: PusherConfiguration.Acknowledgement = .any
    ) throws -> NodeID {
        try addJob(
            name, pushingTo: relays,
            PusherConfiguration(
                acknowledgement: acknowledgement, requestTimeout: settings.requestTimeout,
                pause: .milliseconds(20), pauseMax: .milliseconds(500)))
    }

    func addJob(
        _ name: String, pushingTo relays: [NodeID], _ configuration: PusherConfiguration,
        tickMicroseconds: UInt64 = 5_000
    ) throws -> NodeID {
        let node = try makeNode(
            name, .job, disk: .none, tickMicroseconds: tickMicroseconds, listeningTo: relays)
        node.job = JobState(configuration: configuration)
        for relay in relays { nodes[relay.index].isPushedTo = true }
        start(node)
        return node.id
    }

    /// Tells a job that it has written everything: it ends once all of it is acknowledged.
    public func end(_ job: NodeID) { nodes[job.index].job?.isEnding = true }

    /// Starts a job anew under its name after it has ended or died. A job that runs is left alone.
    public func begin(_ job: NodeID) {
        let node = nodes[job.index]
        guard !node.isUp else { return }
        node.job?.isEnding = false
        node.job?.hasEnded = false
        node.job?.failure = nil
        start(node)
    }

    /// Why a job has given up; nil where it has not.
    public func failure(of job: NodeID) -> String? { nodes[job.index].job?.failure }

    /// True once the job has ended: all that it wrote was acknowledged, or it has given up.
    public func hasEnded(_ job: NodeID) -> Bool { nodes[job.index].job?.hasEnded ?? false }

    /// True when the job has no room for more batches, because too many are not acknowledged.
    func isFull(_ job: SimulatedNode) -> Bool { job.pusher?.isFull ?? false }

    func startPushing(_ node: SimulatedNode) {
        guard let job = node.job else { return }
        let pusher = Pusher(configuration: job.configuration)
        for _ in node.listening { _ = pusher.addRelay() }
        node.pusher = pusher
    }

    func tickJob(_ node: SimulatedNode) {
        guard let pusher = node.pusher else { return }
        node.origin?.flush()
        pusher.tick(now: moment(node))
        settle(node)
        guard let job = node.job, !(node.origin?.hasOpenBatch ?? false) else { return }
        if let failure = pusher.failure {
            node.job?.failure = failure
            tell(node, "gives up: \(failure)")
        } else if job.isEnding, pusher.isDone {
            tell(node, "has pushed everything, and ends")
        } else {
            return
        }
        node.job?.hasEnded = true
        oracle.abandon(job: node.name)
        for index in node.listening { closeAll(index) }
        leave(node)
    }

    func carryOut(job node: SimulatedNode) {
        for case .publish(let topic, let payload) in node.origin?.takeActions() ?? [] where topic.type != nil {
            guard let batch = oracle.note(topic: topic, payload: payload, isPushed: true) else {
                return fail(node, "publishes bytes on \(topic) that are no batch")
            }
            if settings.hasSignatures { lastSigned[node.name] = (topic.bytes, payload) }
            tell(node, "has to push \(topic) #\(batch.sequence) with \(batch.updateCount) updates")
            do throws(WireError) {
                try node.pusher?.push(topic: topic, payload: payload)
            } catch {
                return fail(node, "the pusher cannot read what its origin has made: \(error)")
            }
        }
        for action in node.pusher?.takeActions() ?? [] {
            switch action {
            case .request(let relay, let payload):
                note(push: payload, of: node)
                sendUp(node.listening[relay], .request(payload))
            case .reconnect(let relay): connectAnew(node.listening[relay])
            case .clockRefused(let refusal):
                if node.origin?.startAnewIfRefused(taken: refusal.taken, now: moment(node)) ?? false {
                    noteClockRenewed(node)
                    node.pusher?.beginAnew(giving: refusal.incarnation)
                } else {
                    node.pusher?.tryAgain(refusal)
                }
            case .sendAgain(let type, let ids):
                for (id, reason) in node.origin?.sendAgain(ids, type: type, now: moment(node)) ?? [] {
                    node.pusher?.cannotSendAgain(id, type: type, reason: reason)
                }
            case .notice(let notice):
                tell(node, notice.description)
                guard notice.kind == .pushFailed else { continue }
                node.hasGivenUpRelay = true
                if let fault = whyWrong(notice) { fail(node, fault) }
            }
        }
    }

    private func note(push payload: [UInt8], of node: SimulatedNode) {
        guard let push = Simulation.push(payload) else { return fail(node, "sends bytes that are no push") }
        node.job?.requests[push.rid] = push.batch
    }

    /// The number of a request that pushes a batch, and the batch; nil for other requests.
    static func push(_ payload: [UInt8]) -> (rid: UInt64, batch: BatchID, payload: [UInt8])? {
        guard let items = PlainItem(payload)?.children, items.count == 4, items[0].text == "push",
            let rid = items[1].unsigned
        else { return nil }
        let bytes = items[3].content(of: payload)
        guard let frame = PlainItem(bytes), let batch = BatchFacts(frame) else { return nil }
        let id = BatchID(
            origin: batch.origin, incarnation: batch.incarnation, topic: Topic(bytes: items[2].content(of: payload)),
            sequence: batch.sequence)
        return (rid, id, bytes)
    }

    /// Notes a relay's answer to a job: from now on the relay holds the batch that it acknowledges.
    func noteAnswer(_ payload: [UInt8], of relay: SimulatedNode, to job: SimulatedNode) {
        guard let items = PlainItem(payload)?.children, items.count == 2, items[0].text == "accepted",
            let rid = items[1].unsigned
        else { return }
        let milliseconds = Simulation.wallStartMilliseconds + time / 1000
        guard let batch = job.job?.requests[rid], oracle.acknowledge(batch, by: relay.index, at: milliseconds) else {
            return fail(relay, "acknowledges what \(job.name) has not pushed")
        }
        tell(relay, "holds \(batch.topic) #\(batch.sequence) of \(job.name)")
    }

    /// The fault in a job's notice that it gives a relay up for good; nil where there is a reason for that.
    ///
    /// A job does so only when the relay has lost what it held, when a clock is wrong past the lead, or when the relay
    /// fell too far behind another.
    private func whyWrong(_ notice: Notice) -> String? {
        let reason = notice.metadata["reason"] ?? ""
        // After a restart a relay does not know the streams of names that it had forgotten.
        if settings.names != nil, faults[.crash] > 0 { return nil }
        guard faults[.relayLost] == 0, faults[.clockBeyondLead] == 0, !reason.hasPrefix("fell more than") else {
            return nil
        }
        return "gives a relay up that has lost nothing: \(reason)"
    }
}
