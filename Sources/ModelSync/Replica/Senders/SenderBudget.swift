import ModelWire

/// What one sender may make a replica do (protocol article, section 8): how many streams are followed on its word, how
/// fast they are begun, and what it is asked for. Another sender's part is not touched by it.
struct SenderBudget: Sendable {
    /// Streams that were met first in what it told.
    private(set) var streamCount = 0
    /// What they take of the room for heads, where there is one.
    private(set) var headByteCount = 0
    /// Requests in a row that have not brought what the sender had promised.
    private var fruitlessCount = 0
    private var begun = TokenBucket()
    private var snapshots = TokenBucket()
    private var replays = TokenBucket()
    private var reports = TokenBucket()

    /// Streams that its heads begin, or begin anew.
    static let streamRate = RequestBudget.Rate(burst: 16_384, perSecond: 4096)
    /// What a sender grants a peer, so more would only be refused.
    static let snapshotRate = RequestBudget().snapshots
    static let replayRate = RequestBudget.Rate(burst: 4096, perSecond: 1024)
    /// Reports that go out because a state has changed.
    static let reportRate = RequestBudget.Rate(burst: 32, perSecond: 8)

    /// After so many requests without fruit the next costs twice as much.
    private static let fruitlessStep = 32
    /// No request costs more than 2 to this.
    private static let costBitsMax = 6

    /// A stream was met first in what it told.
    mutating func take(_ key: StreamKey) {
        streamCount += 1
        headByteCount += HeadsRoom.byteCount(key.topic) + HeadsRoom.byteCount(origin: key.origin)
    }

    /// The stream is forgotten.
    mutating func giveBack(_ key: StreamKey) {
        streamCount -= 1
        headByteCount -= HeadsRoom.byteCount(key.topic) + HeadsRoom.byteCount(origin: key.origin)
    }

    mutating func takeStreams(_ count: Int, at time: UInt64) -> Bool {
        begun.take(UInt64(count), of: SenderBudget.streamRate, at: time)
    }

    mutating func takeRequest(_ rung: Repair.Rung, at time: UInt64) -> Bool {
        let cost: UInt64 = 1 << UInt64(dearness)
        switch rung {
        case .replay: return replays.take(cost, of: SenderBudget.replayRate, at: time)
        case .snapshot: return snapshots.take(cost, of: SenderBudget.snapshotRate, at: time)
        }
    }

    mutating func takeReport(at time: UInt64) -> Bool { reports.take(of: SenderBudget.reportRate, at: time) }

    /// How often the price of a request has doubled.
    var dearness: Int { fruitlessCount / SenderBudget.fruitlessStep }

    /// A request has not brought what it had promised.
    mutating func noteFruitless() {
        fruitlessCount = min(fruitlessCount + 1, SenderBudget.fruitlessStep * SenderBudget.costBitsMax)
    }

    /// A request has brought something.
    mutating func noteFruit() { fruitlessCount /= 2 }
}

extension Replica {
    /// The stream may be followed on the word of this sender: beside others it has no more than its part.
    func hasShare(_ sender: SenderID?) -> Bool {
        guard let sender, sessions.count > 1 else { return true }
        let index = sender.index
        guard sessions[index].budget.streamCount < naming.bounds.streamCount / FollowingBounds.senderParts else {
            return false
        }
        return naming.room.map { sessions[index].budget.headByteCount <= $0.byteCountMax / 4 * 3 } ?? true
    }

    /// So many streams that the sender's heads tell of may be begun now, or begun anew; else when it tells them again.
    func mayBegin(_ count: Int, at sender: SenderID, now: Moment) -> Bool {
        if sessions[sender.index].budget.takeStreams(count, at: now.uptimeMicroseconds) { return true }
        counters[.postponedStreams] += UInt64(count)
        return false
    }

    /// The repair's request may go to the sender now; else it waits.
    func mayAsk(_ sender: SenderID, _ stream: StreamState, now: Moment) -> Bool {
        let rung = stream.repair?.rung ?? .replay
        if sessions[sender.index].budget.takeRequest(rung, at: now.uptimeMicroseconds) { return true }
        counters[.postponedRequests] += 1
        // By chance, so that all that wait have the same part.
        stream.repair?.dueAt = now.uptimeMicroseconds + pause(after: 2 + sessions[sender.index].budget.dearness)
        return false
    }

    /// How many repairs begin in one tick because of one sender.
    static let startCountMax = 256
}
