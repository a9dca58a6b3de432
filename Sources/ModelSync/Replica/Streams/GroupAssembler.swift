import ModelRecord
import ModelWire

/// Holds the parts of transactions over several topics until all that this replica subscribes to are here.
struct GroupAssembler: Sendable {
    /// One part: the batch as it came.
    struct Part: Sendable {
        let topic: Topic
        let sequence: UInt64
        let payload: [UInt8]
        /// The part was forwarded when it came.
        let isForwarded: Bool
    }

    /// A transaction that is not whole.
    struct Held {
        let origin: String
        let stamp: Stamp
        let incarnation: UInt64
        let parts: [Part]
        let awaited: Set<Topic>
        /// When its first part came.
        let since: UInt64
        /// Since when the rest is asked for.
        let askedSince: UInt64?
    }

    /// What is known of the parts that are not here.
    enum Rest {
        /// The parts may be on their way.
        case awaited
        /// Senders are asked for the parts.
        case asked
        /// The parts are given up.
        case givenUp
    }

    private struct Key: Hashable {
        let origin: String
        let stamp: Stamp
    }

    private struct Group {
        var parts: [Part] = []
        var awaited: Set<Topic>
        /// Topics of which a snapshot has come since that may have held the awaited part.
        var perhapsCovered: Set<Topic> = []
        let incarnation: UInt64
        let since: UInt64
        var askedSince: UInt64?
        var deadline: UInt64
    }

    /// The most bytes that are held; past it the oldest groups are let go as they are.
    static let byteCountMax = 64 << 20

    private var groups: [Key: Group] = [:]
    private var byteCount = 0

    /// Nothing is held.
    var isEmpty: Bool { groups.isEmpty }

    /// When the first group's time is up.
    var nextDeadline: UInt64? { groups.isEmpty ? nil : groups.values.lazy.map(\.deadline).min() }

    /// Parts of this transaction are held.
    func holds(_ origin: String, _ stamp: Stamp) -> Bool { groups[Key(origin: origin, stamp: stamp)] != nil }

    /// The least sequence that is held of a stream, by this start of its origin.
    func firstHeld(_ key: StreamKey, of incarnation: UInt64) -> UInt64? {
        var first: UInt64?
        for (other, group) in groups where other.origin == key.origin && group.incarnation == incarnation {
            for part in group.parts where part.topic == key.topic { first = min(first ?? .max, part.sequence) }
        }
        return first
    }

    /// A part on this topic is held that an earlier start of the origin has sent.
    func holdsEarlier(_ key: StreamKey, than incarnation: UInt64) -> Bool {
        groups.contains { other, group in
            other.origin == key.origin && group.incarnation < incarnation
                && group.parts.contains { $0.topic == key.topic }
        }
    }

    /// How many parts are held.
    var partCount: Int { groups.values.reduce(0) { $0 + $1.parts.count } }

    /// Adds a part.
    /// - Parameters:
    ///   - wanted: the topics of the group that this replica subscribes to.
    /// - Returns: all parts, once the last is here.
    mutating func add(
        _ part: Part, origin: String, incarnation: UInt64, stamp: Stamp, wanted: [Topic], now: UInt64, patience: UInt64
    ) -> [Part]? {
        let key = Key(origin: origin, stamp: stamp)
        var group =
            groups.removeValue(forKey: key)
            ?? Group(awaited: Set(wanted), incarnation: incarnation, since: now, deadline: now + patience)
        if !group.parts.contains(where: { $0.topic == part.topic }) {
            group.parts.append(part)
            byteCount += part.payload.count
        }
        group.awaited.remove(part.topic)
        if group.awaited.isEmpty {
            byteCount -= size(of: group)
            return group.parts
        }
        groups[key] = group
        return nil
    }

    /// Takes note that a snapshot has brought everything of `topic` up to some head.
    /// - Parameter stamp: the origin's clock when it read that head: its transactions up to there wait for nothing more
    ///   on this topic. Nil when another than the origin told the head: then it is not known whether the snapshot held
    ///   the awaited part. Such a group waits for its deadline, since what the snapshot held is visible already.
    /// - Returns: the transactions that wait for nothing any more.
    mutating func covered(_ topic: Topic, origin: String, through stamp: Stamp?) -> [[Part]] {
        guard !groups.isEmpty else { return [] }
        guard let stamp else {
            for key in groups.keys where key.origin == origin { groups[key]?.perhapsCovered.insert(topic) }
            return []
        }
        for key in groups.keys where key.origin == origin && key.stamp <= stamp { groups[key]?.awaited.remove(topic) }
        return take { $0.awaited.isEmpty }
    }

    /// Takes note that a sender's cut holds everything up to these heads.
    ///
    /// The heads of a relay tell what it has committed: where they reach a part that is held here, the relay had the
    /// whole transaction, and so has its cut. A cut that tells a later start of the origin holds all that an earlier
    /// start has sent, whichever sender gave it. A job is an exception: each of its relays may have got another part
    /// before the job ended.
    /// - Parameter isCovered: the cut holds this topic.
    /// - Returns: the transactions that wait for nothing any more.
    mutating func covered(by told: Heads, where isCovered: (Topic) -> Bool) -> [[Part]] {
        guard !groups.isEmpty else { return [] }
        for (key, group) in groups where key.origin == told.origin && group.incarnation <= told.incarnation {
            let isSame = group.incarnation == told.incarnation
            let isCommitted =
                isSame
                && group.parts.contains { part in
                    told[part.topic].map { $0.sequence >= part.sequence } ?? false
                }
            let isOver = !isSame && !told.isPushed
            guard isOver || (told.isRelayed && isCommitted) else { continue }
            groups[key]?.awaited = group.awaited.filter { !isCovered($0) }
        }
        return take { $0.awaited.isEmpty }
    }

    /// Lets go of the transactions of an origin's earlier starts, as they are.
    mutating func close(_ origin: String, before incarnation: UInt64) -> [[Part]] {
        guard !groups.isEmpty else { return [] }
        return take(groups.filter { $0.key.origin == origin && $0.value.incarnation < incarnation })
    }

    /// Removes the groups whose deadline has passed, or that no longer find room. Their parts are to be applied as far
    /// as they are here.
    /// - Parameters:
    ///   - patience: how much longer a group is held whose missing parts may still come.
    ///   - rest: what is known of the missing parts of a group.
    /// - Returns: their parts, and whether snapshots may have brought all that was missing.
    mutating func expired(
        now: UInt64, patience: UInt64, rest: (Held) -> Rest
    ) -> [(parts: [Part], isWhole: Bool)] {
        var due: [Key: Group] = [:]
        for (key, group) in groups where group.deadline <= now {
            let held = Held(
                origin: key.origin, stamp: key.stamp, incarnation: group.incarnation, parts: group.parts,
                awaited: group.awaited, since: group.since, askedSince: group.askedSince)
            let known = rest(held)
            if case .givenUp = known {
                due[key] = group
                continue
            }
            groups[key]?.deadline = now + patience
            if case .asked = known, group.askedSince == nil { groups[key]?.askedSince = now }
        }
        var heldByteCount = byteCount - due.values.reduce(0) { $0 + size(of: $1) }
        if heldByteCount > GroupAssembler.byteCountMax {
            for (key, group) in groups.sorted(by: { $0.key.stamp < $1.key.stamp }) where due[key] == nil {
                due[key] = group
                heldByteCount -= size(of: group)
                if heldByteCount <= GroupAssembler.byteCountMax { break }
            }
        }
        let whole = due.filter { $0.value.awaited.isSubset(of: $0.value.perhapsCovered) }
        let others = due.filter { whole[$0.key] == nil }
        return take(whole).map { ($0, true) } + take(others).map { ($0, false) }
    }

    private mutating func take(where isDone: (Group) -> Bool) -> [[Part]] { take(groups.filter { isDone($0.value) }) }

    private mutating func take(_ done: [Key: Group]) -> [[Part]] {
        for (key, group) in done {
            byteCount -= size(of: group)
            groups[key] = nil
        }
        return done.sorted { ($0.key.stamp, $0.key.origin) < ($1.key.stamp, $1.key.origin) }.map(\.value.parts)
    }

    private func size(of group: Group) -> Int { group.parts.reduce(0) { $0 + $1.payload.count } }
}

extension GroupAssembler {
    /// The first bound or sum that does not hold; for tests.
    func brokenInvariant() -> String? {
        let sum = groups.values.reduce(0) { $0 + size(of: $1) }
        if sum != byteCount { return "held parts count \(byteCount) bytes and are \(sum)" }
        if groups.values.contains(where: { $0.parts.isEmpty || $0.awaited.isEmpty }) {
            return "a transaction without parts, or of which nothing is awaited, is held"
        }
        // The bound is enforced with each tick; between two ticks a burst may come on top.
        return byteCount > GroupAssembler.byteCountMax * 2 ? "held parts are \(byteCount) bytes" : nil
    }
}
