import ModelGrants
import ModelWire

/// What each subscriber of a stream is sent, where there are grants.
///
/// A subscription is narrowed to the types that its key may read. Heads name all types of an origin, so each group of
/// subscribers with the same rights to read has heads of its own, on topics below `h/` that the sender alone filters: a
/// subscriber gets them with its subscription of `h/` and takes them for what they are.
struct StreamAudiences {
    /// The numbers of the groups, by the patterns of what they may read.
    private var groups: [[NamePattern]: Int] = [:]
    private var rights: [Rights] = []
    /// The rights of those who have raised a barrier.
    private var barriers: [[UInt8]: Rights] = [:]
    /// The barriers that each of them has raised and not lowered, the oldest first.
    private var raised: [Grantee: [[UInt8]]] = [:]

    /// How many barriers of one grantee are remembered. Each is lowered once it was answered.
    private static let barrierCountMax = 256

    /// The filters that take the place of a subscription.
    mutating func filters(for prefix: [UInt8], of grantee: Grantee) -> [[UInt8]] {
        let rights = grantee.rights
        if Topic(barrier: prefix) != nil {
            raise(prefix, grantee)
            return [prefix]
        }
        var filters: [[UInt8]] = []
        let heads = Topic.headsPrefix.bytes
        if heads.starts(with: prefix) { filters.append(topic([], of: rights)) }
        if prefix.starts(with: heads), prefix.count > heads.count {
            filters.append(topic(Array(prefix.dropFirst(heads.count)), of: rights))
        }
        for allowed in rights.readable.map(\.topicPrefix) {
            if allowed.starts(with: prefix) {
                filters.append(allowed)
            } else if prefix.starts(with: allowed) {
                filters.append(prefix)
            }
        }
        return filters
    }

    private mutating func raise(_ barrier: [UInt8], _ grantee: Grantee) {
        guard barriers.updateValue(grantee.rights, forKey: barrier) == nil else { return }
        raised[grantee, default: []].append(barrier)
        guard raised[grantee]?.count ?? 0 > StreamAudiences.barrierCountMax else { return }
        if let oldest = raised[grantee]?.removeFirst() { barriers[oldest] = nil }
    }

    /// Takes note that a subscriber has lowered a barrier.
    mutating func lower(_ barrier: [UInt8], of grantee: Grantee) {
        guard let index = raised[grantee]?.firstIndex(of: barrier) else { return }
        raised[grantee]?.remove(at: index)
        if raised[grantee]?.isEmpty ?? false { raised[grantee] = nil }
        barriers[barrier] = nil
    }

    /// The messages to send in place of one, each with its topic.
    mutating func messages(_ topic: [UInt8], _ payload: [UInt8]) -> [(topic: [UInt8], payload: [UInt8])] {
        if topic.first == 0xFF {
            // A barrier is asked for by one, and answered with the heads of each origin.
            guard let rights = barriers[topic] else { return [] }
            return narrowed(payload, to: rights).map { [(topic, $0)] } ?? []
        }
        let heads = Topic.headsPrefix.bytes
        guard topic.starts(with: heads) else { return [(topic, payload)] }
        let origin = Array(topic.dropFirst(heads.count))
        return rights.compactMap { rights in
            narrowed(payload, to: rights).map { (self.topic(known: origin, of: rights), $0) }
        }
    }

    /// The payload without the types that may not be read; nil where nothing is left to be told.
    private func narrowed(_ payload: [UInt8], to rights: Rights) -> [UInt8]? {
        guard !rights.readsAll, case .heads(var heads)? = try? StreamFrame(decoding: payload.span)
        else { return payload }
        let isEmpty = heads.heads.isEmpty
        heads.heads.removeAll { head in !(head.topic.type.map(rights.mayRead) ?? false) }
        // An origin that is a relay is told by its own empty heads, which are its heartbeat.
        return heads.heads.isEmpty && !isEmpty && heads.isRelayed ? nil : heads.encode()
    }

    /// The topic of the heads of an origin for those with these rights. It begins a group where they are the first.
    private mutating func topic(_ origin: [UInt8], of rights: Rights) -> [UInt8] {
        let readable = StreamAudiences.key(rights)
        if groups[readable] == nil {
            groups[readable] = self.rights.count
            self.rights.append(rights)
        }
        return topic(known: origin, of: rights)
    }

    private func topic(known origin: [UInt8], of rights: Rights) -> [UInt8] {
        Topic.headsPrefix.bytes + [0] + Array("\(groups[StreamAudiences.key(rights)] ?? 0)/".utf8) + origin
    }

    private static func key(_ rights: Rights) -> [NamePattern] {
        rights.readsAll ? [.all] : rights.readable
    }
}

extension NamePattern {
    /// The topics of all types that match begin so.
    fileprivate var topicPrefix: [UInt8] {
        isPrefix ? Topic.dataPrefix.bytes + Array(text.utf8) : Topic.data(type: text).bytes
    }
}
