import ModelGrants
import ModelSync
import ModelWire

/// What each subscriber of a stream is sent, where there are grants.
///
/// A subscription is narrowed to the types that its key may read. Heads name all types of an origin, so each group of
/// subscribers with the same rights to read has heads of its own, on topics below `h/` that the sender alone filters: a
/// subscriber gets them with its subscription of `h/` and takes them for what they are.
struct StreamAudiences {
    /// Those who may read the same.
    private struct Audience {
        let rights: Rights
        /// The origins of which they have been told a topic: of no other they learn the name.
        var origins: Set<String> = []
    }

    /// One that has raised a barrier.
    private struct Waiter {
        let grantee: Grantee
        let audience: Int
    }

    private var audiences: [Audience] = []
    /// The numbers of the audiences, by the patterns of what they may read.
    private var numbers: [[NamePattern]: Int] = [:]
    private var waiters: [[UInt8]: Waiter] = [:]
    /// The barriers that each grantee has raised and not lowered, the oldest first.
    private var raised: [Grantee: [[UInt8]]] = [:]
    /// The name of the sender, as its own heads tell it.
    private var own: String?

    /// How many barriers of one grantee are remembered. Each is lowered once it was answered.
    private static let barrierCountMax = 256
    /// How many bytes a barrier has.
    private static let barrierByteCount = 17
    /// How many origins an audience remembers.
    private static let originCountMax = 16_384

    /// The filters that take the place of a subscription.
    mutating func filters(for prefix: [UInt8], of grantee: Grantee) -> [[UInt8]] {
        let number = audience(of: grantee.rights)
        // A shorter one would match the barriers of others.
        if prefix.first == 0xFF { return raise(prefix, grantee, number) ? [prefix] : [] }
        var filters: [[UInt8]] = []
        let heads = Topic.headsPrefix.bytes
        if heads.starts(with: prefix) { filters.append(topic(of: [], for: number)) }
        if prefix.starts(with: heads), prefix.count > heads.count {
            filters.append(topic(of: Array(prefix.dropFirst(heads.count)), for: number))
        }
        for allowed in grantee.rights.readable.map(\.topicPrefix) {
            if allowed.starts(with: prefix) {
                filters.append(allowed)
            } else if prefix.starts(with: allowed) {
                filters.append(prefix)
            }
        }
        // No topic is longer.
        return filters.filter { $0.count <= Topic.byteCountMax }
    }

    private mutating func raise(_ barrier: [UInt8], _ grantee: Grantee, _ audience: Int) -> Bool {
        guard barrier.count == StreamAudiences.barrierByteCount else { return false }
        if let waiter = waiters[barrier] { return waiter.grantee == grantee }
        waiters[barrier] = Waiter(grantee: grantee, audience: audience)
        raised[grantee, default: []].append(barrier)
        if raised[grantee]?.count ?? 0 > StreamAudiences.barrierCountMax, let oldest = raised[grantee]?.removeFirst() {
            waiters[oldest] = nil
        }
        return true
    }

    /// Takes note that a subscriber has lowered a barrier.
    mutating func lower(_ barrier: [UInt8], of grantee: Grantee) {
        guard let index = raised[grantee]?.firstIndex(of: barrier) else { return }
        raised[grantee]?.remove(at: index)
        if raised[grantee]?.isEmpty ?? false { raised[grantee] = nil }
        waiters[barrier] = nil
    }

    /// The messages to send in place of one, each with its topic.
    mutating func messages(_ topic: [UInt8], _ payload: [UInt8]) -> [(topic: [UInt8], payload: [UInt8])] {
        let heads = Topic.headsPrefix.bytes
        guard topic.first == 0xFF || topic.starts(with: heads) else { return [(topic, payload)] }
        guard let frame = try? StreamFrame(decoding: payload.span) else { return [] }
        if topic.first == 0xFF {
            // A barrier is asked for by one, and answered with the heads of each origin.
            guard let waiter = waiters[topic] else { return [] }
            return narrowed(frame, payload, to: waiter.audience).map { [(topic, $0)] } ?? []
        }
        let origin = Array(topic.dropFirst(heads.count))
        return audiences.indices.compactMap { number in
            narrowed(frame, payload, to: number).map { (self.topic(of: origin, for: number), $0) }
        }
    }

    /// The payload without the types that an audience may not read; nil where nothing is left to be told.
    private mutating func narrowed(_ frame: StreamFrame, _ payload: [UInt8], to number: Int) -> [UInt8]? {
        let rights = audiences[number].rights
        switch frame {
        case .heads(var heads):
            // A sender's own heads are its heartbeat.
            if !heads.isRelayed { own = heads.origin }
            if rights.readsAll { return payload }
            heads.narrow(to: rights)
            if !heads.heads.isEmpty, audiences[number].origins.count < StreamAudiences.originCountMax {
                audiences[number].origins.insert(heads.origin)
            }
            return !heads.heads.isEmpty || isKnown(heads.origin, to: number) ? heads.encode() : nil
        case .bye(let bye): return rights.readsAll || isKnown(bye.origin, to: number) ? payload : nil
        case .batch, .unknown: return nil
        }
    }

    private func isKnown(_ origin: String, to number: Int) -> Bool {
        origin == own || audiences[number].origins.contains(origin)
    }

    /// The number of the audience with these rights, which begins with the first of them.
    private mutating func audience(of rights: Rights) -> Int {
        let readable = rights.readsAll ? [.all] : rights.readable
        if let number = numbers[readable] { return number }
        numbers[readable] = audiences.count
        audiences.append(Audience(rights: rights))
        return audiences.count - 1
    }

    private func topic(of origin: [UInt8], for number: Int) -> [UInt8] {
        Topic.headsPrefix.bytes + [0] + Array("\(number)/".utf8) + origin
    }
}

extension NamePattern {
    /// The topics of all types that match begin so.
    fileprivate var topicPrefix: [UInt8] {
        isPrefix ? Topic.dataPrefix.bytes + Array(text.utf8) : Topic.data(type: text).bytes
    }
}
