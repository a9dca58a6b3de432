import ModelRecord
import ModelSync
import ModelWire

extension Simulation {
    mutating func scheduleConnect(replica: Int, origin: Int) {
        let epoch = links.indices.contains(replica) ? links[replica][origin].epoch : 0
        events.add(.connected(replica: replica, origin: origin, epoch: epoch), at: time + delay())
    }

    /// Sends what an origin wants sent.
    mutating func carryOut(origin: Int) {
        for action in origins[origin].takeActions() {
            switch action {
            case .publish(let topic, let payload): publish(origin: origin, topic: topic.bytes, payload: payload)
            case .reply(let peer, let payload):
                let replica = Int(peer[0])
                guard self.peer(replica, origin) == peer, !breaks(replica, origin) else { continue }
                let at = max(time + delay(), links[replica][origin].lastDelivery.down)
                links[replica][origin].lastDelivery.down = at
                events.add(.reply(replica: replica, origin: origin, peer: peer, payload: payload), at: at)
            }
        }
    }

    private mutating func publish(origin: Int, topic: [UInt8], payload: [UInt8]) {
        for replica in replicas.indices {
            guard links[replica][origin].subscriptions.contains(where: { topic.starts(with: $0) }) else { continue }
            if isLost(conditions.streamLossPerMille) { continue }
            let copies = isChosen(conditions.duplicationPerMille) ? 2 : 1
            for _ in 0..<copies {
                var at = time + delay()
                if !conditions.reordersStream {
                    at = max(at, links[replica][origin].lastDelivery.stream)
                    links[replica][origin].lastDelivery.stream = at
                }
                let epoch = links[replica][origin].epoch
                events.add(
                    .stream(replica: replica, origin: origin, epoch: epoch, topic: topic, payload: payload), at: at)
            }
        }
    }

    /// Does what a replica wants done.
    mutating func carryOut(replica: Int) {
        for action in replicas[replica].takeActions() {
            switch action {
            case .connectStream: break
            case .subscribe(let sender, let prefix): subscribe(replica, sender, prefix, isOn: true)
            case .unsubscribe(let sender, let prefix): subscribe(replica, sender, prefix, isOn: false)
            case .request(let sender, let payload):
                guard !breaks(replica, sender.index) else { continue }
                let (at, _) = upwards(replica, sender.index)
                let peer = peer(replica, sender.index)
                events.add(.request(replica: replica, origin: sender.index, peer: peer, payload: payload), at: at)
            case .reconnect(let sender):
                links[replica][sender.index].epoch += 1
                links[replica][sender.index].subscriptions = []
                scheduleConnect(replica: replica, origin: sender.index)
            case .notice(let notice): notices.append(notice)
            }
        }
    }

    private mutating func subscribe(_ replica: Int, _ sender: SenderID, _ prefix: [UInt8], isOn: Bool) {
        let (at, epoch) = upwards(replica, sender.index)
        events.add(
            .subscription(replica: replica, origin: sender.index, epoch: epoch, prefix: prefix, isOn: isOn), at: at)
    }

    private mutating func upwards(_ replica: Int, _ origin: Int) -> (at: UInt64, epoch: Int) {
        let at = max(time + delay(), links[replica][origin].lastDelivery.up)
        links[replica][origin].lastDelivery.up = at
        return (at, links[replica][origin].epoch)
    }

    /// The routing identity of a control connection.
    func peer(_ replica: Int, _ origin: Int) -> [UInt8] {
        let link = links[replica][origin]
        return [UInt8(replica), UInt8(truncatingIfNeeded: link.epoch), UInt8(truncatingIfNeeded: link.controlEpoch)]
    }

    /// Whether the control connection breaks now.
    private mutating func breaks(_ replica: Int, _ origin: Int) -> Bool {
        guard isLost(conditions.controlResetPerMille) else { return false }
        origins[origin].disconnected(peer(replica, origin))
        links[replica][origin].controlEpoch += 1
        return true
    }

    private mutating func delay() -> UInt64 { UInt64.random(in: conditions.delayMicroseconds, using: &generator) }

    private mutating func isChosen(_ perMille: Int) -> Bool {
        perMille > 0 && Int.random(in: 0..<1000, using: &generator) < perMille
    }

    private mutating func isLost(_ perMille: Int) -> Bool {
        guard isChosen(perMille) else { return false }
        lostCount += 1
        return true
    }
}
