import ModelSync
import ModelWire

extension Simulation {
    func delay() -> UInt64 { UInt64.random(in: conditions.delayMicroseconds, using: &generator) }

    /// Sends a subscription or request of the client to the server.
    func sendUp(_ index: Int, _ message: Message) {
        guard isReachable(index) else { return }
        switch message {
        case .subscription:
            guard links[index].isStreamOpen else { return }
            let at = max(time + delay(), links[index].lastArrival.subscription)
            links[index].lastArrival.subscription = at
            events.add(.message(link: index, epoch: links[index].streamEpoch, message), at: at)
        case .request(let payload):
            if chance(conditions.controlResetPerMille) { return resetControl(index) }
            let at = max(time + delay(), links[index].lastArrival.request)
            links[index].lastArrival.request = at
            let epoch = links[index].controlEpoch
            events.add(.message(link: index, epoch: epoch, message), at: at)
            guard let broken = broken(payload, isBroken: Simulation.isNoRequest) else { return }
            events.add(.message(link: index, epoch: epoch, .request(broken)), at: at)
        case .stream, .reply: preconditionFailure("the client sends no replies and no stream")
        }
    }

    /// Sends a reply of the server to the client.
    func reply(_ index: Int, _ payload: [UInt8]) {
        guard isReachable(index) else { return }
        if chance(conditions.controlResetPerMille) { return resetControl(index) }
        let payload = damaged(reply: payload, index)
        let at = max(time + delay(), links[index].lastArrival.reply)
        links[index].lastArrival.reply = at
        let epoch = links[index].controlEpoch
        events.add(.message(link: index, epoch: epoch, .reply(payload)), at: at)
        guard let broken = broken(payload, isBroken: Simulation.isNoReply) else { return }
        events.add(.message(link: index, epoch: epoch, .reply(broken)), at: at)
    }

    private func resetControl(_ index: Int) {
        faults[.controlReset] += 1
        tell(nodes[links[index].client], "control connection to \(nodes[links[index].server].name) breaks")
        controlBreaks(index)
    }

    /// Sends a message of a node's stream to every client that has subscribed to its topic.
    func publish(_ node: SimulatedNode, topic: [UInt8], payload: [UInt8]) {
        for index in node.serving {
            guard links[index].isStreamOpen, links[index].active.contains(where: { topic.starts(with: $0) }),
                isReachable(index)
            else { continue }
            send(index, topic: topic, payload: payload)
        }
    }

    private func send(_ index: Int, topic: [UInt8], payload: [UInt8]) {
        if chance(conditions.streamResetPerMille) {
            faults[.streamReset] += 1
            tell(nodes[links[index].client], "stream connection to \(nodes[links[index].server].name) breaks")
            lose(index, topic, payload)
            return streamBreaks(index)
        }
        if chance(conditions.streamLossPerMille) {
            faults[.lost] += 1
            return lose(index, topic, payload)
        }
        guard let leaves = departure(index, byteCount: topic.count + payload.count) else {
            faults[.queueFull] += 1
            return lose(index, topic, payload)
        }
        let payload = damaged(index, topic: topic, payload)
        let copies = chance(conditions.duplicationPerMille) ? 2 : 1
        if copies == 2 { faults[.duplicated] += 1 }
        let broken = broken(payload, isBroken: Simulation.isNoStreamFrame)
        if let broken { arrive(index, topic, broken, after: leaves) }
        // A broken copy comes before the message, or in its place.
        if broken != nil, chance(500) { return lose(index, topic, payload) }
        for _ in 0..<copies { arrive(index, topic, payload, after: leaves) }
    }

    private func arrive(_ index: Int, _ topic: [UInt8], _ payload: [UInt8], after leaves: UInt64) {
        var at = leaves + delay()
        if conditions.reordersStream {
            if at < links[index].lastArrival.stream { faults[.overtaken] += 1 }
        } else {
            at = max(at, links[index].lastArrival.stream)
        }
        links[index].lastArrival.stream = max(at, links[index].lastArrival.stream)
        events.add(
            .message(link: index, epoch: links[index].streamEpoch, .stream(topic: topic, payload: payload)), at: at)
    }

    /// When a message leaves the sender; nil when its queue is full.
    private func departure(_ index: Int, byteCount: Int) -> UInt64? {
        guard let speed = conditions.streamBytesPerMillisecond else { return time }
        let now = time
        links[index].departures.removeAll { $0 <= now }
        guard links[index].departures.count < conditions.streamQueueCountMax else { return nil }
        let leaves = (links[index].departures.last ?? time) + UInt64(byteCount) * 1000 / speed
        links[index].departures.append(leaves)
        return leaves
    }

    /// Tells the story that a message is lost. Where the sequence check is sabotaged, a batch with the same sequence
    /// and without known updates arrives in its place.
    private func lose(_ index: Int, _ topic: [UInt8], _ payload: [UInt8]) {
        let client = nodes[links[index].client]
        tell(client, "does not get \(Simulation.name(topic, payload)) from \(nodes[links[index].server].name)")
        guard settings.sabotage == .sequenceCheck, let hollow = FrameSurgery.hollow(payload) else { return }
        events.add(
            .message(link: index, epoch: links[index].streamEpoch, .stream(topic: topic, payload: hollow)),
            at: time + delay())
    }

    /// The name of a stream's message in the story.
    static func name(_ topic: [UInt8], _ payload: [UInt8]) -> String {
        let name = Topic(bytes: topic).description
        guard let frame = PlainItem(payload), let batch = BatchFacts(frame) else {
            return topic.first == 0xFF ? "the barrier" : name
        }
        return "\(name) #\(batch.sequence) of \(batch.origin)"
    }

    /// The name of a request or reply in the story.
    static func method(_ payload: [UInt8]) -> String {
        guard let items = PlainItem(payload)?.children, items.count >= 2, let method = items[0].text else {
            return "nonsense"
        }
        let number = items[1].unsigned.map { " \($0)" } ?? ""
        guard method == "frame", items.count == 4 else { return method + number }
        return "\(method)\(number) with \(name(items[2].content(of: payload), items[3].content(of: payload)))"
    }

    // MARK: Broken frames

    /// Now and then makes a damaged copy of a message; nil otherwise.
    /// - Parameter isBroken: whether the decoder refuses the copy. Only such copies are sent, because a network that
    ///   turned one valid message into another would break every checker.
    private func broken(_ payload: [UInt8], isBroken: ([UInt8]) -> Bool) -> [UInt8]? {
        guard chance(conditions.malformedPerMille), !payload.isEmpty else { return nil }
        var copy = payload
        let position = Int.random(in: copy.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: copy[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: copy.removeLast(copy.count - position)
        default: copy.insert(UInt8.random(in: .min ... .max, using: &generator), at: position)
        }
        guard isBroken(copy) else { return nil }
        faults[.malformed] += 1
        return copy
    }

    private static func isNoRequest(_ bytes: [UInt8]) -> Bool {
        (try? ControlRequest(decoding: bytes.span, limits: .default)) == nil
    }

    private static func isNoReply(_ bytes: [UInt8]) -> Bool {
        (try? ControlReply(decoding: bytes.span, limits: .default)) == nil
    }

    static func isNoStreamFrame(_ bytes: [UInt8]) -> Bool {
        do throws(WireError) {
            guard case .batch = try StreamFrame(decoding: bytes.span, limits: .default) else { return false }
            var decoder = BatchDecoder(limits: .default)
            try decoder.decode(bytes.span)
            return false
        } catch {
            return true
        }
    }
}
