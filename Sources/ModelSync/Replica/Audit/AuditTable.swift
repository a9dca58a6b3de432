import ModelWire

/// The audits under way, and what is needed to begin them.
struct AuditTable {
    private struct Pause {
        var next: UInt64 = 0
        var length: UInt64 = 0
    }

    /// A type of one sender's copy.
    private struct Part: Hashable {
        let sender: SenderID
        let type: String
    }

    /// The digests, and what followed from them, of a type of one sender's copy.
    private struct Known {
        /// The digests that the sender told last, as long as the heads that they belong to have not changed.
        var digests: [Topic: UInt64]?
        /// The digests that the sender had told when its copy was joined with this one. While it tells the same, its
        /// copy has nothing new.
        var joined: [Topic: UInt64]?
        /// When the whole copy was last taken, in this contact.
        var joinedAt: UInt64?
        /// The type stands among those of the sender.
        var isListed = false
        var pause = Pause()
    }

    private var running: [String: Audit] = [:]
    private var known: [Part: Known] = [:]
    /// The types of which each sender has told digests, in the order in which it told them first.
    private var typesTold: [SenderID: [String]] = [:]
    /// The position in the round through the types of a sender.
    private var rounds: [SenderID: Int] = [:]
    /// Until when no digests of a sender are compared.
    private var rests: [SenderID: UInt64] = [:]
    private var restUntil: [String: UInt64] = [:]
    /// When a sender was last found to hold something of a type that its copy lacked when it was taken, and when copies
    /// are due to be taken for that.
    private var uncopied: [String: (at: UInt64, dueAt: UInt64)] = [:]

    /// The bounds of the pause after a difference: what a repair does not mend is not mended by asking with every
    /// heartbeat.
    static let pauseMax: UInt64 = 60_000_000
    private static let pauseMin: UInt64 = 1_000_000

    /// How many audits may be under way with one sender.
    static let countMax = 16
    /// How many streams and buckets are compared in one tick because of one sender.
    static let workMax = 65_536
    /// Up to this many types of a sender are compared at once.
    private static let fewTypes = 16
    /// Up to this many streams are looked at with each `heads` of a sender. There are as many `heads` as origins, so
    /// looking at more would cost the square of their number.
    private static let fewStreams = 1024
    /// How long the digests of a sender are left alone for each stream that was looked at: some twenty times as long as
    /// the look took.
    private static let restMicroseconds: UInt64 = 4

    subscript(type: String) -> Audit? {
        get { running[type] }
        set { running[type] = newValue }
    }

    /// Nothing is being audited.
    var isEmpty: Bool { running.isEmpty }

    /// The types that are being audited.
    var types: [String] { running.keys.sorted() }

    func isRepairing(_ type: String) -> Bool { running[type]?.isConfirmed ?? false }

    func isRepairing(from sender: SenderID) -> Bool {
        running.contains { $1.sender == sender && $1.isConfirmed }
    }

    var nextDeadline: UInt64 { running.isEmpty ? .max : running.values.lazy.map(\.dueAt).min() ?? .max }

    /// Takes note of the digest that a sender tells of a topic of its copy.
    mutating func note(_ digest: UInt64, of topic: Topic, toldBy sender: SenderID) {
        guard let type = topic.type else { return }
        let part = Part(sender: sender, type: type)
        if known[part]?.isListed != true { typesTold[sender, default: []].append(type) }
        known[part, default: Known()].isListed = true
        if known[part]?.digests == nil { known[part]?.digests = [:] }
        known[part]?.digests?[topic] = digest
    }

    /// Begins a round through all types of which the sender has told digests, unless one is under way.
    mutating func beginRound(with sender: SenderID) {
        if rounds[sender] == nil, typesTold[sender] != nil { rounds[sender] = 0 }
    }

    mutating func endRound(with sender: SenderID) { rounds[sender] = nil }

    func isResting(_ sender: SenderID, now: UInt64) -> Bool { now < rests[sender] ?? 0 }

    /// Leaves the digests of a sender alone for a time, after so many streams were looked at because of it.
    mutating func rest(_ sender: SenderID, after streamCount: Int, now: UInt64) {
        guard streamCount > AuditTable.fewStreams else { return }
        rests[sender] = now + UInt64(streamCount) * AuditTable.restMicroseconds
    }

    func isRound(with sender: SenderID) -> Bool { !rounds.isEmpty && rounds[sender] != nil }

    func hasManyTypes(toldBy sender: SenderID) -> Bool { typesTold[sender]?.count ?? 0 > AuditTable.fewTypes }

    /// The next type of the round that is under way; nil at its end.
    mutating func nextType(toldBy sender: SenderID) -> String? {
        guard let position = rounds[sender], let types = typesTold[sender] else { return nil }
        let next = types[position...].firstIndex { hasDigests(of: $0, toldBy: sender) }
        rounds[sender] = next.map { $0 + 1 }
        return next.map { types[$0] }
    }

    /// Whether another audit may begin with this sender. If not, its round waits.
    func mayBegin(with sender: SenderID) -> Bool {
        running.count < AuditTable.countMax || running.values.count { $0.sender == sender } < AuditTable.countMax
    }

    /// Brings the digests of topics up to date with those of all buckets that the sender has told: they may be older.
    mutating func refresh(_ type: String, toldBy sender: SenderID, with buckets: [UInt64]) {
        let part = Part(sender: sender, type: type)
        for topic in digests(of: type, toldBy: sender).keys {
            guard let range = topic.buckets, range.upperBound <= buckets.count else { continue }
            known[part]?.digests?[topic] = buckets[range].reduce(0, &+)
        }
    }

    /// Forgets the digests of topics that share buckets with this one, because the copy of the sender has changed
    /// there.
    mutating func forgetDigests(overlapping topic: Topic, type: String, toldBy sender: SenderID) {
        guard let buckets = topic.buckets else { return }
        let part = Part(sender: sender, type: type)
        for other in digests(of: type, toldBy: sender).keys where other.buckets?.overlaps(buckets) ?? true {
            known[part]?.digests?[other] = nil
        }
    }

    mutating func forgetDigests(toldBy sender: SenderID, type: String) {
        known[Part(sender: sender, type: type)]?.digests = nil
    }

    mutating func forgetDigests(toldBy sender: SenderID) {
        for part in known.keys where part.sender == sender {
            // Contact that is lost and comes back is no reason to ask sooner.
            let pause = known[part]?.pause ?? Pause()
            known[part] = pause.length == 0 ? nil : Known(pause: pause)
        }
        typesTold[sender] = nil
        rounds[sender] = nil
    }

    /// Takes note that all that the copy of the sender held when it told these digests is here.
    /// - Parameter time: a time before the copy was asked for.
    mutating func noteJoined(_ told: [Topic: UInt64], of type: String, toldBy sender: SenderID, at time: UInt64) {
        let part = Part(sender: sender, type: type)
        known[part, default: Known()].joined = told
        known[part]?.joinedAt = time
    }

    /// Takes note that a sender may hold models of the type that no batch brings, and that were not in its copy when it
    /// was taken: an origin goes on in a later start, or a sender tells a stream later than others.
    mutating func noteUncopied(_ type: String, at time: UInt64) {
        let due = uncopied[type]?.dueAt ?? 0
        uncopied[type] = (time, time < due ? due : time + AuditTable.formerMicroseconds)
    }

    /// The sender may hold models of the type that an earlier start of an origin has written, and its copy was not
    /// taken since the later start was met.
    /// - Parameter copiedAt: when the whole copy of the sender was asked for, in this contact.
    func mayHoldFormer(_ type: String, _ sender: SenderID, copiedAt: UInt64, now: UInt64) -> Bool {
        guard let later = uncopied[type], now >= later.dueAt else { return false }
        return later.at >= max(copiedAt, known[Part(sender: sender, type: type)]?.joinedAt ?? 0)
    }

    /// How long heads that lag are given to come to where this copy stands: thirty heartbeats.
    private static let formerMicroseconds: UInt64 = 15_000_000

    /// A copy of the sender was joined with this one.
    func wasJoined(_ type: String, with sender: SenderID) -> Bool {
        known[Part(sender: sender, type: type)]?.joined != nil
    }

    /// All that the copy of the sender holds is here, as far as its digests tell.
    func isJoined(_ type: String, toldBy sender: SenderID) -> Bool {
        known[Part(sender: sender, type: type)].map { $0.joined != nil && $0.joined == $0.digests } ?? false
    }

    /// The types of which the sender has told digests.
    func types(toldBy sender: SenderID) -> [String] {
        (typesTold[sender] ?? []).filter { hasDigests(of: $0, toldBy: sender) }
    }

    private func hasDigests(of type: String, toldBy sender: SenderID) -> Bool {
        known[Part(sender: sender, type: type)]?.digests != nil
    }

    func digests(of type: String, toldBy sender: SenderID) -> [Topic: UInt64] {
        known[Part(sender: sender, type: type)]?.digests ?? [:]
    }

    func mayBegin(_ type: String, with sender: SenderID, now: UInt64) -> Bool {
        running[type] == nil && (known[Part(sender: sender, type: type)]?.pause.next ?? 0) <= now
    }

    /// Takes note that building the type anew has changed nothing: until this time it is not done again, whatever still
    /// differs.
    mutating func rest(_ type: String, until time: UInt64) { restUntil[type] = time }

    func isResting(_ type: String, now: UInt64) -> Bool { now < restUntil[type] ?? 0 }

    /// Ends the pause of the type with this sender, because the copies were equal.
    mutating func clearPause(_ type: String, with sender: SenderID) {
        known[Part(sender: sender, type: type)]?.pause = Pause()
    }

    /// Puts off the next audit of the type with this sender, each time longer, because the copies differed.
    mutating func lengthenPause(_ type: String, with sender: SenderID, atMost longest: UInt64, now: UInt64) {
        let part = Part(sender: sender, type: type)
        let length = min(max((known[part]?.pause.length ?? 0) * 2, AuditTable.pauseMin), longest)
        known[part, default: Known()].pause = Pause(next: now + length, length: length)
    }
}
