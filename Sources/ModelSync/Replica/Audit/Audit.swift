import ModelRecord
import ModelWire

/// The search for a difference between this copy of a type and a sender's, and its end.
struct Audit {
    enum Step {
        /// The digests of all buckets were asked for.
        case comparing
        /// Buckets that differ are being fetched; these are still to come.
        case fetching(rest: [Int])
        /// The digests were asked for again, to see whether both copies are equal now.
        case verifying
        /// Buckets that still differ are fetched once more, to give up what no correct origin can have written. The
        /// rest is still to come.
        case replacing(part: [Int], rest: [Int])

        var isVerifying: Bool { if case .verifying = self { true } else { false } }
    }

    /// What the digests of two copies must show.
    enum Comparability {
        /// Both copies must be equal.
        case equal
        /// This copy may hold more, for instance what an origin has lost or what came before its first batch. It must
        /// hold all that the sender has.
        case atLeast
    }

    /// The state of this copy at a moment: how far its streams were applied, and its digests.
    struct Cut {
        /// How far each stream of the type was applied, in the order in which the streams were met.
        let applied: [UInt64]
        /// The digests of all buckets.
        let digests: [UInt64]
    }

    /// The answer of a sender: the digests of all buckets of its copy, and the heads at which that copy stood.
    struct Answer {
        let heads: [Heads]
        let digests: [UInt64]
        /// The heads in the answer of the streams of the type, in the order in which the streams were met; nil for a
        /// stream that it does not tell.
        let streamHeads: [UInt64?]
    }

    let sender: SenderID
    var step = Step.comparing
    /// The request that is under way; nil between two requests.
    var rid: UInt64?
    /// When the request is given up, or the next one goes out.
    var dueAt: UInt64
    let foundAt: UInt64
    /// The digests that the sender had told when the audit began.
    let told: [Topic: UInt64]
    /// The digest of the whole type here, before anything was fetched.
    let ownDigest: UInt64
    /// This copy at moments since the sender was asked: the answer tells of one of them, and batches go on coming.
    var cuts: [Cut] = []
    /// An answer that tells of heads which are not reached here yet.
    var answer: Answer?
    /// The records that one request has brought: they become visible in one step, or replace those that are here.
    var fetched = Staging()
    /// The stream to which the difference is attributed, once digests have differed at equal heads. From then on the
    /// type counts as being repaired.
    var difference: StreamState?
    /// How often the digests could not be compared, because heads had moved.
    var misses = 0

    /// Digests were asked for and are not judged yet, so each batch that comes now is remembered as a cut.
    var isAwaitingDigests: Bool {
        switch step {
        case .comparing, .verifying: answer != nil || rid != nil
        case .fetching, .replacing: false
        }
    }

    var isConfirmed: Bool { difference != nil }

    /// How many cuts are kept while an answer is on its way, the last ones. A cut takes two kilobytes, and eight bytes
    /// a stream.
    static let cutCountMax = 128
    /// How many buckets one request asks for.
    static let bucketCountMax = 16
    /// After how many comparisons that were not possible, because heads had moved, a fetch counts as done.
    static let missCountMax = 20
}

/// The audits under way, and what is needed to begin them.
struct AuditTable {
    private struct Pause {
        var next: UInt64 = 0
        var length: UInt64 = 0
    }

    private struct Place: Hashable {
        let sender: SenderID
        let type: String
    }

    private var running: [String: Audit] = [:]
    /// The types of which each sender has told digests, in the order in which it told them first.
    private var typesTold: [SenderID: [String]] = [:]
    private var places: Set<Place> = []
    /// The position in the round through the types of a sender.
    private var rounds: [SenderID: Int] = [:]
    /// Until when no digests of a sender are compared.
    private var rests: [SenderID: UInt64] = [:]
    /// The digests that senders told last, as long as the heads that they belong to have not changed.
    private var digests: [Place: [Topic: UInt64]] = [:]
    private var pauses: [Place: Pause] = [:]
    /// The digests that senders had told of copies that were joined with this one. While a sender tells the same, its
    /// copy has nothing new.
    private var joined: [Place: [Topic: UInt64]] = [:]
    private var restUntil: [String: UInt64] = [:]
    /// When an origin last went on with a type in a later start, and when copies that may hold what earlier starts
    /// wrote are due to be taken.
    private var laterStarts: [String: (at: UInt64, dueAt: UInt64)] = [:]
    /// When the whole copy of a type of a sender was last taken, in this contact.
    private var joinedAt: [Place: UInt64] = [:]

    /// The bounds of the pause after a difference: what a repair does not mend is not mended by asking with every
    /// heartbeat.
    private static let pauseMax: UInt64 = 60_000_000
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
        let place = Place(sender: sender, type: type)
        if digests[place] == nil, places.insert(place).inserted { typesTold[sender, default: []].append(type) }
        digests[place, default: [:]][topic] = digest
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
        let next = types[position...].firstIndex { digests[Place(sender: sender, type: $0)] != nil }
        rounds[sender] = next.map { $0 + 1 }
        return next.map { types[$0] }
    }

    /// Whether another audit may begin with this sender. If not, its round waits.
    func mayBegin(with sender: SenderID) -> Bool {
        running.count < AuditTable.countMax || running.values.count { $0.sender == sender } < AuditTable.countMax
    }

    /// Brings the digests of topics up to date with those of all buckets that the sender has told: they may be older.
    mutating func refresh(_ type: String, toldBy sender: SenderID, with buckets: [UInt64]) {
        let place = Place(sender: sender, type: type)
        for topic in (digests[place] ?? [:]).keys {
            guard let range = topic.buckets, range.upperBound <= buckets.count else { continue }
            digests[place]?[topic] = buckets[range].reduce(0, &+)
        }
    }

    /// Forgets the digests of topics that share buckets with this one, because the copy of the sender has changed
    /// there.
    mutating func forgetDigests(overlapping topic: Topic, type: String, toldBy sender: SenderID) {
        let place = Place(sender: sender, type: type)
        guard let buckets = topic.buckets, let told = digests[place] else { return }
        for other in told.keys where other.buckets?.overlaps(buckets) ?? true { digests[place]?[other] = nil }
    }

    mutating func forgetDigests(toldBy sender: SenderID, type: String) {
        digests[Place(sender: sender, type: type)] = nil
    }

    mutating func forgetDigests(toldBy sender: SenderID) {
        digests = digests.filter { $0.key.sender != sender }
        joined = joined.filter { $0.key.sender != sender }
        joinedAt = joinedAt.filter { $0.key.sender != sender }
        typesTold[sender] = nil
        places = places.filter { $0.sender != sender }
        rounds[sender] = nil
    }

    /// Takes note that all that the copy of the sender held when it told these digests is here.
    /// - Parameter time: a time before the copy was asked for.
    mutating func noteJoined(_ told: [Topic: UInt64], of type: String, toldBy sender: SenderID, at time: UInt64) {
        let place = Place(sender: sender, type: type)
        joined[place] = told
        joinedAt[place] = time
    }

    /// Takes note that an origin goes on with the type in a later start.
    mutating func noteLaterStart(of type: String, at time: UInt64) {
        let due = laterStarts[type]?.dueAt ?? 0
        laterStarts[type] = (time, time < due ? due : time + AuditTable.formerMicroseconds)
    }

    /// The sender may hold models of the type that an earlier start of an origin has written, and its copy was not
    /// taken since the later start was met.
    /// - Parameter copiedAt: when the whole copy of the sender was asked for, in this contact.
    func mayHoldFormer(_ type: String, _ sender: SenderID, copiedAt: UInt64, now: UInt64) -> Bool {
        guard let later = laterStarts[type], now >= later.dueAt else { return false }
        return later.at >= max(copiedAt, joinedAt[Place(sender: sender, type: type)] ?? 0)
    }

    /// How long heads that lag are given to come to where this copy stands: thirty heartbeats.
    private static let formerMicroseconds: UInt64 = 15_000_000

    /// A copy of the sender was joined with this one.
    func wasJoined(_ type: String, with sender: SenderID) -> Bool {
        joined[Place(sender: sender, type: type)] != nil
    }

    /// All that the copy of the sender holds is here, as far as its digests tell.
    func isJoined(_ type: String, toldBy sender: SenderID) -> Bool {
        let place = Place(sender: sender, type: type)
        return joined[place] != nil && joined[place] == digests[place]
    }

    /// The types of which the sender has told digests.
    func types(toldBy sender: SenderID) -> [String] {
        (typesTold[sender] ?? []).filter { digests[Place(sender: sender, type: $0)] != nil }
    }

    func digests(of type: String, toldBy sender: SenderID) -> [Topic: UInt64] {
        digests[Place(sender: sender, type: type)] ?? [:]
    }

    func mayBegin(_ type: String, with sender: SenderID, now: UInt64) -> Bool {
        running[type] == nil && (pauses[Place(sender: sender, type: type)]?.next ?? 0) <= now
    }

    /// Takes note that building the type anew has changed nothing: until this time it is not done again, whatever still
    /// differs.
    mutating func rest(_ type: String, until time: UInt64) { restUntil[type] = time }

    func isResting(_ type: String, now: UInt64) -> Bool { now < restUntil[type] ?? 0 }

    /// Ends the pause of the type with this sender, because the copies were equal.
    mutating func clearPause(_ type: String, with sender: SenderID) {
        pauses[Place(sender: sender, type: type)] = nil
    }

    /// Puts off the next audit of the type with this sender, each time longer, because the copies differed.
    mutating func lengthenPause(_ type: String, with sender: SenderID, now: UInt64) {
        let place = Place(sender: sender, type: type)
        let length = min(max((pauses[place]?.length ?? 0) * 2, AuditTable.pauseMin), AuditTable.pauseMax)
        pauses[place] = Pause(next: now + length, length: length)
    }
}
