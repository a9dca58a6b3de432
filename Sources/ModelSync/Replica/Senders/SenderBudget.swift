import ModelWire

/// The budget of one sender: what it may make a replica do (protocol article, section 8). It bounds how many streams
/// are followed on the sender's word, how fast they are begun, and how often the sender is asked. Each sender has a
/// budget of its own, so that one takes nothing from the others.
struct SenderBudget: Sendable {
    /// How many streams were met first in what the sender told.
    private(set) var streamCount = 0
    /// How many bytes those streams take of the room for heads, where there is one.
    private(set) var headByteCount = 0
    /// How many requests have not brought what the sender had promised; halved by one that has.
    private var fruitlessCount = 0
    /// Until when requests for what nobody had when all were asked wait for others.
    private var keptUntil: UInt64 = 0
    private var begun = TokenBucket()
    private var snapshots = TokenBucket()
    private var replays = TokenBucket()
    private var reports = TokenBucket()
    private var signedHeads = TokenBucket()

    /// The rate of streams that the heads of the sender begin, or begin anew.
    static let streamRate = RequestBudget.Rate(burst: 16_384, perSecond: 4096)
    /// The rate of snapshots: what a sender grants a peer, since it would refuse more.
    static let snapshotRate = RequestBudget().snapshots
    static let replayRate = RequestBudget.Rate(burst: 4096, perSecond: 1024)
    /// The rate of reports that go out because a state has changed.
    static let reportRate = RequestBudget.Rate(burst: 32, perSecond: 8)
    /// The rate of signed heads that are verified, at some 50 µs each.
    static let signedHeadsRate = RequestBudget.Rate(burst: 256, perSecond: 64)

    /// How many requests without fruit double the cost of the next.
    private static let fruitlessStep = 32
    /// The binary logarithm of the greatest cost of a request.
    private static let costBitsMax = 6

    /// Charges a stream that was met first in what the sender told.
    mutating func take(_ key: StreamKey) {
        streamCount += 1
        headByteCount += HeadsBudget.byteCount(key.topic) + HeadsBudget.byteCount(origin: key.origin)
    }

    /// Gives back the room of a stream that is forgotten.
    mutating func giveBack(_ key: StreamKey) {
        streamCount -= 1
        headByteCount -= HeadsBudget.byteCount(key.topic) + HeadsBudget.byteCount(origin: key.origin)
    }

    mutating func takeStreams(_ count: Int, at time: UInt64) -> Bool {
        begun.take(UInt64(count), of: SenderBudget.streamRate, at: time)
    }

    /// - Parameter isInVain: all that could be asked have been, and had nothing.
    mutating func takeRequest(_ rung: Repair.Rung, isInVain: Bool = false, at time: UInt64) -> Bool {
        if isInVain, time < keptUntil { return false }
        let cost: UInt64 = 1 << UInt64(dearness)
        switch rung {
        case .replay: return replays.take(cost, of: SenderBudget.replayRate, at: time)
        case .snapshot: return snapshots.take(cost, of: SenderBudget.snapshotRate, at: time)
        }
    }

    /// Whether a request could be made now.
    func hasRequest(_ rung: Repair.Rung, at time: UInt64) -> Bool {
        var budget = self
        return budget.takeRequest(rung, at: time)
    }

    /// Keeps requests back that were in vain before, until another has had its turn, which comes then at the latest.
    mutating func keep(until time: UInt64) { keptUntil = max(keptUntil, time) }

    /// Takes note that one has had its turn.
    mutating func keepNoLonger() { keptUntil = 0 }

    mutating func takeReport(at time: UInt64) -> Bool { reports.take(of: SenderBudget.reportRate, at: time) }

    mutating func takeSignedHeads(at time: UInt64) -> Bool {
        signedHeads.take(of: SenderBudget.signedHeadsRate, at: time)
    }

    /// How often the cost of a request has doubled.
    var dearness: Int { fruitlessCount / SenderBudget.fruitlessStep }

    /// Takes note that a request has not brought what the sender had promised.
    mutating func noteFruitless() {
        fruitlessCount = min(fruitlessCount + 1, SenderBudget.fruitlessStep * SenderBudget.costBitsMax)
    }

    /// Takes note that a request has brought something.
    mutating func noteFruit() { fruitlessCount /= 2 }
}

extension Replica {
    /// Whether one more stream may be followed on the word of this sender: beside other senders it has no more than its
    /// part.
    func hasShare(_ sender: SenderID?) -> Bool {
        guard let sender, sessions.count > 1 else { return true }
        let index = sender.index
        guard sessions[index].budget.streamCount < origins.limits.bounds.streamCount / FollowingBounds.senderParts
        else {
            return false
        }
        return origins.limits.room.map { sessions[index].budget.headByteCount <= $0.byteCountMax / 4 * 3 } ?? true
    }

    /// Whether so many streams that the heads of the sender tell may be begun now, or begun anew. If not, they are when
    /// it tells them again.
    func mayBegin(_ count: Int, at sender: SenderID, now: Moment) -> Bool {
        if sessions[sender.index].budget.takeStreams(count, at: now.uptimeMicroseconds) { return true }
        counters[.postponedStreams] += UInt64(count)
        return false
    }

    /// Whether the request of the repair may go to the sender now. If not, another is asked, or the repair waits.
    func mayAsk(_ sender: SenderID, _ stream: StreamState, now: Moment) -> Bool {
        let (rung, isInVain) = (stream.repair?.rung ?? .replay, stream.repair?.isInVain ?? false)
        if sessions[sender.index].budget.takeRequest(rung, isInVain: isInVain, at: now.uptimeMicroseconds) {
            if !isInVain { sessions[sender.index].budget.keepNoLonger() }
            return true
        }
        counters[.postponedRequests] += 1
        // Where another can help, nobody is waited for in its place.
        if let repair = stream.repair, canHelp(stream, repair, besides: sender),
            stream.repair?.passOver(sender, askable: askable(stream, repair)) ?? false
        {
            stream.repair?.dueAt = now.uptimeMicroseconds
            return false
        }
        // A stream has one repair at a time. One that is for what this sender tells alone keeps what others tell from
        // being looked at no longer; it comes up again.
        if let repair = stream.repair, repair.finding == .claim || repair.finding == .digest,
            askable(stream, repair).contains(where: { $0 != sender })
        {
            finish(stream, by: .superseded, now: now)
            return false
        }
        // A random pause, so that all repairs that wait have the same chance; but those that were in vain leave what
        // there is to the others.
        let dueAt = now.uptimeMicroseconds + pause(after: 2 + sessions[sender.index].budget.dearness)
        stream.repair?.dueAt = dueAt
        if !isInVain { sessions[sender.index].budget.keep(until: dueAt + Replica.pauseMicroseconds) }
        return false
    }

    /// Whether the origin itself, or a sender that has the first missing batch, can be asked in place of this one.
    ///
    /// A sender that tells a head which nobody has sent counts as the one that has most; those that have what was
    /// really sent must not wait for it.
    private func canHelp(_ stream: StreamState, _ repair: Repair, besides sender: SenderID) -> Bool {
        if isPresent(stream.key.origin), !isOrigin(sessions[sender.index], stream.key.origin) { return true }
        return askable(stream, repair).contains {
            $0 != sender && stream.head(toldBy: $0) ?? 0 > stream.tracker.applied
        }
    }

    /// How many repairs begin in one tick because of one sender.
    static let startCountMax = 256
}
