import ModelSync

extension Simulation {
    /// The client opens both connections anew.
    func connectAnew(_ index: Int) {
        closeAll(index)
        let pause = UInt64.random(in: 5_000...40_000, using: &generator)
        events.add(.connected(link: index, attempt: links[index].attempt), at: time + pause)
    }

    /// The client's side of both connections is gone.
    func closeAll(_ index: Int) {
        forgetPeer(index)
        links[index].attempt += 1
        links[index].streamEpoch += 1
        links[index].controlEpoch += 1
        links[index].subscriptions = []
        links[index].active = []
        links[index].isStreamOpen = false
        links[index].hasStream = false
        links[index].departures = []
    }

    /// The client has been told where the stream is; libzmq connects by itself, now and after each break.
    func openStream(_ index: Int) {
        links[index].hasStream = true
        streamBreaks(index)
    }

    /// The stream's TCP connection breaks, or never stood; libzmq makes another one.
    func streamBreaks(_ index: Int) {
        links[index].streamEpoch += 1
        links[index].active = []
        links[index].isStreamOpen = false
        links[index].departures = []
        guard links[index].hasStream else { return }
        let pause = UInt64.random(in: 2_000...30_000, using: &generator)
        events.add(.streamOpen(link: index, epoch: links[index].streamEpoch), at: time + pause)
    }

    /// The stream's connection stands again: all subscriptions go out at once, in byte order.
    func streamOpened(_ index: Int) {
        guard isReachable(index) else { return }
        links[index].isStreamOpen = true
        for prefix in links[index].subscriptions.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            sendUp(index, .subscription(prefix: prefix, isOn: true))
        }
    }

    /// The control connection breaks and comes back under another identity, unnoticed by the client.
    func controlBreaks(_ index: Int) {
        forgetPeer(index)
        links[index].controlEpoch += 1
    }

    private func forgetPeer(_ index: Int) {
        // A ROUTER notices a lost connection sometimes, not always.
        guard chance(500) else { return }
        let server = nodes[links[index].server]
        server.origin?.disconnected(links[index].peer(index))
        server.relay?.disconnected(links[index].peer(index))
    }

    /// Partitions a node from one that it listens to. No message passes for the given time; then both connections break
    /// and are made anew.
    public func cut(_ node: NodeID, from sender: NodeID, milliseconds: UInt64) {
        for index in links.indices where links[index].client == node.index && links[index].server == sender.index {
            cut(index, milliseconds: milliseconds)
        }
    }

    func cut(_ index: Int, milliseconds: UInt64) {
        guard !links[index].isCut else { return }
        faults[.partition] += 1
        tell(
            nodes[links[index].client], "is cut off from \(nodes[links[index].server].name) for \(milliseconds) ms")
        links[index].isCut = true
        plan(after: milliseconds) { $0.heal(index) }
    }

    func heal(_ index: Int) {
        guard links[index].isCut else { return }
        links[index].isCut = false
        tell(nodes[links[index].client], "reaches \(nodes[links[index].server].name) again")
        streamBreaks(index)
        controlBreaks(index)
    }

    /// True when both ends run and the link is not cut.
    func isReachable(_ index: Int) -> Bool {
        let link = links[index]
        return !link.isCut && nodes[link.client].isUp && nodes[link.server].isUp
    }
}
