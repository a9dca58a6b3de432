import ModelCache
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

    /// The state of the parts that are not here, as far as it is known.
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
        /// The memory of the parts and of the topics, in bytes, about.
        var byteCount: Int

        init(_ wanted: [Topic], incarnation: UInt64, since: UInt64, deadline: UInt64) {
            awaited = Set(wanted)
            (self.incarnation, self.since, self.deadline) = (incarnation, since, deadline)
            byteCount = wanted.reduce(Group.overhead) { $0 + $1.bytes.count + Group.topicOverhead }
        }

        /// The memory of a group, and of a topic in a set, beside their contents.
        private static let overhead = 1024
        private static let topicOverhead = 64
    }

    /// The most bytes that are held; past it the oldest groups are let go as they are.
    static let byteCountMax = 64 << 20
    /// The bytes that are left when the oldest groups are let go. Fewer than the most are left, so that a flood of
    /// parts does not have the groups sorted at each tick.
    private static let byteCountKept = byteCountMax / 8 * 7
    /// The most groups whose time is up that one tick looks at.
    private static let dueCountMax = 1024

    /// How many parts that were merged alone are remembered: of the transactions that came last.
    private static let mergedAloneCountMax = 1024

    private var groups: [Key: Group] = [:]
    private var byteCount = 0
    /// The topics of parts that were merged alone, by transaction, and these in the order in which they came.
    private var mergedAlone: [Key: Set<Topic>] = [:]
    private var mergedAloneOrder = Fifo<Key>()
    /// The sequences that are held of each stream, so that no look-up goes through all groups.
    private var sequences: [StreamKey: [UInt64: HeldSequences]] = [:]
    /// When the first group's time is up, where that is known.
    private var soonest: UInt64?

    /// Nothing is held.
    var isEmpty: Bool { groups.isEmpty }

    /// When the first group's time is up.
    var nextDeadline: UInt64? {
        mutating get {
            guard !groups.isEmpty else { return nil }
            if soonest == nil { soonest = groups.values.lazy.map(\.deadline).min() }
            return soonest
        }
    }

    /// Parts of this transaction are held.
    func holds(_ origin: String, _ stamp: Stamp) -> Bool { groups[Key(origin: origin, stamp: stamp)] != nil }

    /// A transaction is held, but for its part on this topic.
    func awaitsOnly(_ topic: Topic, _ origin: String, _ stamp: Stamp) -> Bool {
        groups[Key(origin: origin, stamp: stamp)]?.awaited == [topic]
    }

    /// The least sequence that is held of a stream, by this start of its origin.
    func firstHeld(_ key: StreamKey, of incarnation: UInt64) -> UInt64? {
        sequences[key]?[incarnation]?.first
    }

    /// A part on this topic is held that an earlier start of the origin has sent.
    func holdsEarlier(_ key: StreamKey, than incarnation: UInt64) -> Bool {
        sequences[key]?.contains { $0.key < incarnation } ?? false
    }

    /// Takes note of a part that was merged without the others, as somebody claims that all of them are here already.
    /// Where that is not so the others come, and must not wait for this one.
    mutating func noteMergedAlone(_ topic: Topic, origin: String, stamp: Stamp) {
        let key = Key(origin: origin, stamp: stamp)
        if let awaited = groups[key]?.awaited, awaited.count > 1 { groups[key]?.awaited.remove(topic) }
        if mergedAlone[key] == nil { mergedAloneOrder.append(key) }
        mergedAlone[key, default: []].insert(topic)
        if mergedAlone.count > GroupAssembler.mergedAloneCountMax, let first = mergedAloneOrder.removeFirst() {
            mergedAlone[first] = nil
        }
    }

    /// How many parts are held.
    var partCount: Int { groups.values.reduce(0) { $0 + $1.parts.count } }

    /// How many parts are awaited by others.
    var awaitedCount: Int { groups.values.reduce(0) { $0 + $1.awaited.count } }

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
            ?? Group(wanted, incarnation: incarnation, since: now, deadline: now + patience)
        byteCount -= group.parts.isEmpty ? 0 : group.byteCount
        if !group.parts.contains(where: { $0.topic == part.topic }) {
            group.parts.append(part)
            group.byteCount += part.payload.count
            let stream = StreamKey(origin: origin, topic: part.topic)
            sequences[stream, default: [:]][group.incarnation, default: HeldSequences()].insert(part.sequence)
        }
        group.awaited.remove(part.topic)
        group.awaited.subtract(mergedAlone[key] ?? [])
        if group.awaited.isEmpty {
            forget(group, of: origin)
            return group.parts
        }
        if let known = soonest { soonest = min(known, group.deadline) }
        byteCount += group.byteCount
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

    /// Removes the groups that are held since before `time`, with their parts: a copy that is taken anew has what is
    /// left of them.
    /// - Parameter isKept: true for an origin whose parts no copy has.
    /// - Returns: how many parts were removed.
    mutating func drop(heldSinceBefore time: UInt64, unless isKept: (String) -> Bool) -> Int {
        guard !groups.isEmpty else { return 0 }
        let old = groups.filter { $0.value.since < time && !isKept($0.key.origin) }
        return take(old).reduce(0) { $0 + $1.count }
    }

    /// Removes the groups whose deadline has passed, or that no longer find room. Their parts are to be applied as far
    /// as they are here.
    /// - Parameters:
    ///   - patience: how much longer a group is held whose missing parts may still come.
    ///   - rest: what is known of the missing parts of a group.
    ///   - isMissing: whether something of this topic of the origin is known to be missing, whatever snapshots brought.
    /// - Returns: their parts, and whether snapshots may have brought all that was missing.
    mutating func expired(
        now: UInt64, patience: UInt64, rest: (Held) -> Rest, isMissing: (_ origin: String, Topic) -> Bool
    ) -> [(parts: [Part], isWhole: Bool)] {
        guard nextDeadline.map({ $0 <= now }) ?? false || byteCount > GroupAssembler.byteCountMax else { return [] }
        soonest = nil
        var due: [Key: Group] = [:]
        // As an array, since groups change meanwhile and are not to be copied for that; in an order that is the same in
        // each run, since what is asked for follows it.
        let ended = groups.lazy.filter { $0.value.deadline <= now }.prefix(GroupAssembler.dueCountMax)
            .sorted(by: GroupAssembler.isEarlier)
        for (key, group) in ended {
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
        var heldByteCount = byteCount - due.values.reduce(0) { $0 + $1.byteCount }
        if heldByteCount > GroupAssembler.byteCountMax {
            for (key, group) in groups.sorted(by: GroupAssembler.isEarlier) where due[key] == nil {
                due[key] = group
                heldByteCount -= group.byteCount
                if heldByteCount <= GroupAssembler.byteCountKept { break }
            }
        }
        let whole = due.filter { key, group in
            group.awaited.allSatisfy { group.perhapsCovered.contains($0) && !isMissing(key.origin, $0) }
        }
        let others = due.filter { whole[$0.key] == nil }
        return take(whole).map { ($0, true) } + take(others).map { ($0, false) }
    }

    private mutating func take(where isDone: (Group) -> Bool) -> [[Part]] { take(groups.filter { isDone($0.value) }) }

    private mutating func take(_ done: [Key: Group]) -> [[Part]] {
        for (key, group) in done {
            byteCount -= group.byteCount
            groups[key] = nil
            forget(group, of: key.origin)
        }
        return done.sorted(by: GroupAssembler.isEarlier).map(\.value.parts)
    }

    private static func isEarlier(_ one: (key: Key, value: Group), _ other: (key: Key, value: Group)) -> Bool {
        (one.key.stamp, one.key.origin) < (other.key.stamp, other.key.origin)
    }

    /// The parts of a group are held no longer.
    private mutating func forget(_ group: Group, of origin: String) {
        if group.deadline == soonest { soonest = nil }
        for part in group.parts {
            let stream = StreamKey(origin: origin, topic: part.topic)
            sequences[stream]?[group.incarnation]?.remove(part.sequence)
            if sequences[stream]?[group.incarnation]?.first == nil { sequences[stream]?[group.incarnation] = nil }
            if sequences[stream]?.isEmpty ?? false { sequences[stream] = nil }
        }
    }
}

/// The sequences that are held of one start of a stream, in ascending order, as they mostly come and go.
private struct HeldSequences: Sendable {
    private var all: [UInt64] = []
    /// Those before this place are gone.
    private var start = 0

    var first: UInt64? { start < all.count ? all[start] : nil }

    mutating func insert(_ sequence: UInt64) { all.insert(sequence, at: place(of: sequence)) }

    mutating func remove(_ sequence: UInt64) {
        let place = place(of: sequence)
        guard place < all.count, all[place] == sequence else { return }
        guard place == start else {
            all.remove(at: place)
            return
        }
        start += 1
        guard start * 2 > all.count else { return }
        all.removeFirst(start)
        start = 0
    }

    /// The place of the first sequence that is not below this one.
    private func place(of sequence: UInt64) -> Int {
        var (low, high) = (start, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle] < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension GroupAssembler {
    /// The first bound or sum that does not hold; for tests.
    func brokenInvariant() -> String? {
        let sum = groups.values.reduce(0) { $0 + $1.byteCount }
        var firsts: [StreamKey: [UInt64: UInt64]] = [:]
        for (key, group) in groups {
            for part in group.parts {
                let stream = StreamKey(origin: key.origin, topic: part.topic)
                let first = firsts[stream]?[group.incarnation] ?? .max
                firsts[stream, default: [:]][group.incarnation] = min(first, part.sequence)
            }
        }
        let told = sequences.mapValues { starts in starts.compactMapValues(\.first) }
        if told != firsts { return "the first part that is held of a stream is not told as the first" }
        if sum != byteCount { return "held parts count \(byteCount) bytes and are \(sum)" }
        if groups.values.contains(where: { $0.parts.isEmpty || $0.awaited.isEmpty }) {
            return "a transaction without parts, or of which nothing is awaited, is held"
        }
        // The bound is enforced with each tick; between two ticks a burst may come on top.
        return byteCount > GroupAssembler.byteCountMax * 2 ? "held parts are \(byteCount) bytes" : nil
    }
}
