import ModelCache
import ModelRecord
import ModelWire

/// What the last `heads` told of a stream: what differs from it is news.
struct ToldHead: Hashable, Sendable {
    let incarnation: UInt64
    let sequence: UInt64
    let hasDigest: Bool
}

extension Relay {
    /// Sends `heads` for each origin that the relay speaks for, and for its own name: changed topics, and all of them
    /// in every tenth.
    func publishHeads(now: Moment) {
        let isFull = heartbeatCount % 10 == 0
        heartbeatCount += 1
        for var heads in heads(prefixes: nil, now: now) {
            heads.heads = heads.heads.filter { head in
                let key = StreamKey(origin: heads.origin, topic: head.topic)
                let current = ToldHead(
                    incarnation: heads.incarnation, sequence: head.sequence, hasDigest: head.digest != nil)
                return told.updateValue(current, forKey: key) != current || isFull
            }
            actions.append(.publish(topic: .heads(origin: heads.origin), payload: heads.encode()))
        }
        actions.append(.publish(topic: .heads(origin: configuration.name), payload: ownHeads(now: now).encode()))
    }

    /// A peer has subscribed to `prefix`. Barriers are answered, everything else needs no answer.
    public func subscribed(to prefix: [UInt8], now: Moment) {
        guard let barrier = Topic(barrier: prefix) else { return }
        collect(now: now)
        for heads in heads(prefixes: nil, now: now) + [ownHeads(now: now)] {
            actions.append(.publish(topic: barrier, payload: heads.encode()))
        }
    }

    /// The relay publishes nothing itself; this tells that it is there, also when it speaks for nobody.
    func ownHeads(now: Moment) -> Heads {
        Heads(
            origin: configuration.name, incarnation: incarnation,
            stamp: clock.tick(nowMilliseconds: now.wallMilliseconds), heads: [])
    }

    /// All heads of all origins: per topic the last sequence up to which everything is in the cache. Of an origin that
    /// has started anew only the topics of its last start.
    /// - Parameter isServing: they go with the cache's content, which they vouch for: an origin whose models of earlier
    ///   starts are not all here is left out.
    func heads(prefixes: [[UInt8]]?, isServing: Bool = false, now: Moment) -> [Heads] {
        let mending = mendingTypes
        var byOrigin: [String: Heads] = [:]
        for (key, stream) in replica.streams {
            var heads = byOrigin[key.origin] ?? emptyHeads(of: key.origin, now: now)
            if stream.incarnation > heads.incarnation {
                heads.incarnation = stream.incarnation
                heads.heads = []
            }
            let isSelected = prefixes?.contains { key.topic.overlaps($0) } ?? true
            if stream.incarnation == heads.incarnation, isSelected {
                let type = key.topic.type ?? ""
                heads.heads.append(
                    Head(
                        topic: key.topic, sequence: replica.committed(key, stream),
                        digest: mending.contains(type) ? nil : digest(of: key.topic)))
            }
            byOrigin[key.origin] = heads
        }
        // An origin that has sent nothing since its last start: whoever follows an earlier one must hear of that.
        for (origin, source) in sources.byOrigin
        where byOrigin[origin] == nil && source.incarnation > 0 && !relayNames.contains(origin) {
            byOrigin[origin] = emptyHeads(of: origin, now: now)
            byOrigin[origin]?.incarnation = source.incarnation
        }
        if isServing {
            for stream in replica.unsettled where stream.takeoverSince != nil { byOrigin[stream.key.origin] = nil }
        }
        return byOrigin.values.sorted { $0.origin < $1.origin }
    }

    private func emptyHeads(of origin: String, now: Moment) -> Heads {
        let source = sources[origin]
        let heard = source?.lastHeard ?? startTime
        return Heads(
            origin: origin, incarnation: 0, stamp: source?.stamp ?? 0, heads: [], isRelayed: true,
            hasTransactions: replica.groupedOrigins.contains(origin),
            isPushed: replica.pushedOrigins.contains(origin),
            ageMilliseconds: now.uptimeMicroseconds.subtractingOrZero(heard) / 1000)
    }

    /// Types of which something that was sent may not be in the cache: their digests would say so again and again.
    private var mendingTypes: Set<String> {
        let isIncomplete = !replica.groups.isEmpty || replica.sessions.contains { $0.isSyncing }
        guard !isIncomplete else { return Set(replica.streams.keys.compactMap(\.topic.type)) }
        return Set(replica.streams.lazy.filter { $0.value.isMending }.compactMap { $0.key.topic.type })
    }

    private func digest(of topic: Topic) -> UInt64? {
        guard let type = topic.type, let buckets = topic.buckets else { return nil }
        return cache.digest(of: type, buckets: buckets)
    }
}

extension SenderSession {
    /// The first snapshot of a connection is on its way.
    var isSyncing: Bool {
        switch phase {
        case .barrier, .snapshot: true
        case .disconnected, .greeting, .synced: false
        }
    }
}
