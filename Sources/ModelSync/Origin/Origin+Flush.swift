public import ModelWire

extension Origin {
    /// Closes every open batch: each becomes a frame with the next sequence of its topic.
    public mutating func flush() {
        while let index = topics.open.first { close(index, group: nil) }
    }

    /// Sends at once what the owner would otherwise find among the actions: the batches that are closed already, then
    /// those that are open, in order. A batch that was open becomes no action on its way.
    ///
    /// The flush ends at an action of another kind. This action and all behind it stay for ``takeActions()``, and open
    /// batches stay open.
    /// - Throws: the error of `send`. The batches that are left then are open still, or lost where they were closed.
    public mutating func flush<Failure: Error>(
        _ send: (Topic, [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        if signature.isUsed { flush() }
        if !outbox.actions.isEmpty {
            let closed = takeActions()
            for (index, action) in closed.enumerated() {
                guard case .publish(let topic, let payload) = action else {
                    outbox.actions = Array(closed[index...])
                    return
                }
                try send(topic, payload)
            }
        }
        while let index = topics.open.first { try send(topics[index].topic, finish(index, group: nil)) }
    }

    /// Closes one batch.
    mutating func close(_ index: Int, group: [Topic]?) {
        guard topics[index].isOpen else { return }
        let frame = finish(index, group: group)
        if signature.isUsed {
            publishSealed(topics[index], frame)
        } else {
            publish(topics[index].topic, frame)
        }
    }

    /// Makes the frame of an open batch, and closes it. Where batches are signed, its seal is still to come.
    private mutating func finish(_ index: Int, group: [Topic]?) -> [UInt8] {
        topics[index].isOpen = false
        topics.open.removeAll { $0 == index }
        topics[index].head += 1
        topics[index].isHeadNews = true
        let frame = topics[index].batch.finish(
            origin: configuration.name, incarnation: incarnation, sequence: topics[index].head, group: group,
            awaitsSeal: signature.isUsed)
        counters[.publishedBatches] += 1
        if !signature.isUsed { keepForReplay(stream(of: topics[index].topic), topics[index].head, frame) }
        return frame
    }

    /// The stream of a topic, of this start.
    func stream(of topic: Topic) -> ReplayRing.Stream {
        ReplayRing.Stream(origin: configuration.name, incarnation: incarnation, topic: topic)
    }

    /// Keeps a batch for replay.
    mutating func keepForReplay(_ stream: ReplayRing.Stream, _ sequence: UInt64, _ frame: [UInt8]) {
        ring.append(stream, sequence: sequence, payload: frame, at: ticks.last)
    }
}
