import ModelRecord
import ModelWire

/// How far a stream has been applied here, and no sender has come, as whoever had more is gone.
struct LostReach: Equatable {
    let incarnation: UInt64
    let sequence: UInt64
}

/// Models of one type that are asked of all senders together, until what they hold of them is known.
///
/// What was passed over while a model was evicted is in no batch that will come again. So an answer is complete only if
/// it has all that this copy had applied when the fetch began: each stream of the type as far as that, from one sender
/// or another; and an answer of each sender whose records have come without heads, as a copy under way brings them.
/// What comes from then on is kept beside the copy (`AbsentModels`). So no half of a model looks whole.
///
/// Each sender is judged by itself. One that refuses, is silent or sends too slowly is left out for a while. As long as
/// it may still be honest, the word of other senders that they hold as much counts only after some seconds, because one
/// of them may lie.
final class Fetch {
    /// What becomes of the answer.
    enum Purpose {
        /// Evicted models come back.
        case bringsBack
        /// Models that are held are compared with what the senders hold.
        case audits
    }

    /// How far a stream was applied when the fetch began.
    private struct Need {
        let stream: StreamKey
        let incarnation: UInt64
        let sequence: UInt64
        /// What the origin had before this start is still awaited here.
        let awaitsBeginning: Bool
        /// The senders on whose word alone so much is needed.
        let claimants: [SenderID]
        /// Some sender says that it has come as far.
        var isMet = false
        /// The origin itself says so, which has not to be believed: what it wrote is all that the need is about.
        var isMetByOrigin = false
    }

    private enum Ask {
        case open(OpenAsk)
        case answered
        /// The sender has refused, has not answered in time or was lost.
        case failed
    }

    /// A request whose answer is awaited.
    struct OpenAsk {
        let rid: UInt64
        let askedAt: UInt64
        /// When a further message is due.
        var dueAt: UInt64
        /// Records of the answer were left out for their clocks.
        var hasRejected = false
        /// How much of the answer has come.
        var byteCount = 0

        /// When the whole answer is due. The request to a sender that sends too slowly has failed then.
        var endsAt: UInt64 { askedAt + Fetch.answerMicroseconds + UInt64(byteCount >> 20) * 1_000_000 }
    }

    /// The senders of a round, as they are when it begins.
    struct Senders {
        /// Senders without whose answers nothing is complete: their records have come without heads.
        var required: [SenderID] = []
        /// Senders without which an answer is not that of all: they are live, and have not failed for long.
        var counted: Set<SenderID> = []
        /// Some sender is not live, and may be back soon.
        var isAnyAway = false
    }

    let number: UInt64
    let type: String
    let ids: [String]
    let purpose: Purpose
    let startedAt: UInt64
    /// An audit of models that came back without the answer of some sender: it is made again until all have answered.
    var isUnsure = false
    /// An audit in which a difference is no fault of anybody, as something of the type was passed over, or answers are
    /// ahead of this copy.
    var mayDiffer = false
    /// When the senders are asked again; nil while answers are awaited.
    private(set) var nextRound: UInt64?
    /// What an audit has been told.
    private(set) var records: [CellRecord] = []
    /// How much each sender has brought.
    private var byteCounts: [SenderID: Int] = [:]
    /// How many rounds have ended in vain.
    private var vainCount = 0
    private var senders = Senders()
    /// Records of an answer were left out for their clocks.
    private var isAnyAhead = false
    /// The heads that came with the answers.
    private(set) var answers: [(sender: SenderID, heads: [Heads])] = []
    private var needs: [Need] = []
    private var asks: [SenderID: Ask] = [:]
    private var lastAnswerAt: UInt64 = 0

    /// For how long senders are asked again where some fail, and others say that they reach as far as this copy; or
    /// where none reaches as far. The latter three times as long while something of the type is being mended here, and
    /// six times while a sender fails or is not live, as where some of an answer was left out for its clock. After that
    /// what the others hold counts: nobody has more that can be had.
    static let patienceMicroseconds: UInt64 = 5_000_000
    private static let patienceFactorMax: UInt64 = 6
    /// The pause after the first round. It doubles with each, up to sixteen times as long.
    static let pauseMicroseconds: UInt64 = 50_000
    /// How long an answer may take, and a second more for each MiB that has come.
    static let answerMicroseconds: UInt64 = 5_000_000
    /// The most bytes of one sender in all open fetches.
    static let byteCountMax = 128 << 20
    /// For how long the batches are awaited that an answer is ahead by, so that readers see transactions whole.
    static let catchUpMicroseconds: UInt64 = 15_000_000
    /// The most ids of one request.
    static let idCountMax = 256

    init(number: UInt64, type: String, ids: [String], purpose: Purpose, now: UInt64) {
        self.number = number
        self.type = type
        self.ids = ids
        self.purpose = purpose
        startedAt = now
        nextRound = now
    }

    // MARK: A round

    /// Begins to ask these senders, under the given numbers.
    /// - Parameters:
    ///   - streams: the streams of the type, as they stand here.
    ///   - unbelieved: senders that have claimed before what they did not have when they were asked.
    ///   - lost: what no sender has reached for as long as that was waited for.
    ///   - timeout: how long the first message of an answer may take, in microseconds.
    func begin(
        _ rids: [SenderID: UInt64], among senders: Senders, _ streams: [StreamState], unbelieved: Set<SenderID>,
        lost: [StreamKey: LostReach], now: UInt64, timeout: UInt64
    ) {
        self.senders = senders
        isAnyAhead = false
        nextRound = nil
        answers = []
        records = []
        asks = rids.mapValues { .open(OpenAsk(rid: $0, askedAt: now, dueAt: now + timeout)) }
        let former = Dictionary(needs.map { ($0.stream, $0) }) { $1 }
        needs = streams.compactMap { stream in
            // Where a claim has been taken back meanwhile, no more is needed than what is here now.
            var reach = stream.tracker(besides: unbelieved).lastApplied
            // Nothing but their word says that the stream is there.
            if reach == 0, !stream.tellers.isEmpty, stream.tellers.allSatisfy({ unbelieved.contains($0.sender) }) {
                return nil
            }
            if let need = former[stream.key], need.incarnation == stream.incarnation {
                reach = min(reach, need.sequence)
            }
            var need = Need(
                stream: stream.key, incarnation: stream.incarnation, sequence: reach,
                awaitsBeginning: stream.beginning.isAwaited,
                claimants: reach == 0 ? stream.tellers.map(\.sender) : stream.claims.compactMap(\.claimant))
            need.isMet = lost[stream.key] == LostReach(incarnation: stream.incarnation, sequence: reach)
            return need
        }
    }

    /// Lets go of all that has come, and asks anew at once.
    func beginAnew(now: UInt64) {
        (asks, needs, answers, records) = ([:], [], [], [])
        nextRound = now
    }

    func isOpen(_ rid: UInt64) -> Bool { open.contains { $0.ask.rid == rid } }

    /// The open requests, in one order on every machine.
    var open: [(sender: SenderID, ask: OpenAsk)] {
        asks.compactMap { sender, ask -> (sender: SenderID, ask: OpenAsk)? in
            if case .open(let ask) = ask { (sender, ask) } else { nil }
        }.sorted { $0.sender.index < $1.sender.index }
    }

    /// When something is due: a round, the time-out of a request, or a look at whether this copy has caught up.
    var deadline: UInt64 {
        if let nextRound { return nextRound }
        return open.lazy.map { min($0.ask.dueAt, $0.ask.endsAt) }.min() ?? lastAnswerAt + Fetch.pauseMicroseconds / 10
    }

    /// The senders that have been asked, and whether each has answered.
    var asked: [(sender: SenderID, hasAnswered: Bool)] {
        asks.keys.map { ($0, hasAnswered($0)) }.sorted { $0.0.index < $1.0.index }
    }

    private func hasAnswered(_ sender: SenderID) -> Bool {
        if case .answered? = asks[sender] { true } else { false }
    }

    /// How much a sender has brought.
    func byteCount(of sender: SenderID) -> Int { byteCounts[sender] ?? 0 }

    /// Takes note that a part of an answer has come: the next is waited for until then.
    /// - Parameter hasRejected: records of it were left out for their clocks.
    func goOn(_ sender: SenderID, byteCount: Int, hasRejected: Bool, dueAt: UInt64) {
        guard case .open(var ask)? = asks[sender] else { return }
        ask.dueAt = dueAt
        ask.hasRejected = ask.hasRejected || hasRejected
        ask.byteCount += byteCount
        asks[sender] = .open(ask)
        byteCounts[sender, default: 0] += byteCount
    }

    func hasRejected(of sender: SenderID) -> Bool {
        if case .open(let ask)? = asks[sender] { ask.hasRejected } else { false }
    }

    /// Keeps records for a comparison.
    func keep(_ more: [CellRecord]) { records += more }

    /// Takes the end of an answer, with the heads of the copy that it is from.
    /// - Parameter name: the sender's own.
    func answer(of sender: SenderID, named name: String, _ told: [Heads], at time: UInt64) {
        asks[sender] = .answered
        answers.append((sender, told))
        lastAnswerAt = time
        let reached = Dictionary(told.map { ($0.origin, $0) }) { $0.incarnation > $1.incarnation ? $0 : $1 }
        for index in needs.indices {
            guard let told = reached[needs[index].stream.origin] else { continue }
            let head = told[needs[index].stream.topic]?.sequence ?? 0
            guard
                told.incarnation > needs[index].incarnation
                    || (told.incarnation == needs[index].incarnation && head >= needs[index].sequence)
            else { continue }
            needs[index].isMet = true
            if told.origin == name, !told.isRelayed { needs[index].isMetByOrigin = true }
        }
    }

    func fail(_ sender: SenderID) {
        if hasRejected(of: sender) { isAnyAhead = true }
        if asks[sender] != nil { asks[sender] = .failed }
    }

    /// How far streams have been applied here, and no sender has come: where all that there are have answered.
    var lost: [StreamKey: LostReach] {
        guard hasAll else { return [:] }
        let unmet = needs.filter { !$0.isMet && $0.sequence > 0 }
        return Dictionary(unmet.map { ($0.stream, LostReach(incarnation: $0.incarnation, sequence: $0.sequence)) }) {
            $1
        }
    }

    /// The senders that have claimed what nobody has come to, they themselves included, although all have answered.
    var vainClaimants: Set<SenderID> {
        guard hasAll else { return [] }
        let unmet = needs.filter { !$0.isMet && ($0.sequence > 0 || $0.awaitsBeginning) }
        return Set(unmet.lazy.flatMap(\.claimants)).filter(hasAnswered)
    }

    /// Senders without whose answers nothing is complete, and that have not answered: where all that there are have.
    var lostSenders: [SenderID] { hasAll ? senders.required.filter { !hasAnswered($0) } : [] }

    /// All senders are live and have answered, so what none has does not exist.
    var isSure: Bool { hasAll && !senders.isAnyAway }

    /// All senders that count have answered.
    var hasAll: Bool { senders.counted.allSatisfy(hasAnswered) }

    /// How a round stands.
    enum Standing: Equatable {
        case awaitsAnswers
        /// Nobody has more than what was told.
        case complete
        /// Some sender may have more, which is asked again.
        case lacks
    }

    /// - Parameter isSettled: nothing of the type is being mended here but what nobody has.
    func standing(isSettled: Bool, now: UInt64) -> Standing {
        guard nextRound == nil else { return .lacks }
        // An audit is not pressed for time, and shows that a sender answers again.
        let isAwaited = open.contains { purpose == .audits || senders.counted.contains($0.sender) }
        guard !isAwaited else { return .awaitsAnswers }
        guard asks.keys.contains(where: hasAnswered) else { return .lacks }
        // An audit takes what it is told: what was not told is compared the next time.
        if purpose == .audits { return .complete }
        // The state from before an origin's last start, of which nothing has come, one of them all has.
        let isReached =
            needs.allSatisfy { $0.isMet || (hasAll && $0.sequence == 0 && !$0.awaitsBeginning) }
            && senders.required.allSatisfy(hasAnswered)
        if isReached, hasAll || needs.allSatisfy(\.isMetByOrigin) { return .complete }
        let mayHaveMore = !hasAll || senders.isAnyAway
        let isShort = (isReached && !isAnyAhead) || (!mayHaveMore && isSettled)
        let factor = isShort ? 1 : mayHaveMore ? Fetch.patienceFactorMax : 3
        return now >= startedAt + factor * Fetch.patienceMicroseconds ? .complete : .lacks
    }

    /// Asks again after a pause, which is longer with each round.
    func rest(now: UInt64) {
        nextRound = now + Fetch.pauseMicroseconds << UInt64(min(vainCount, 4))
        vainCount += 1
    }

    /// Asks, or asks again, at this time.
    func rest(until time: UInt64) { nextRound = time }

    /// Batches are awaited that the answers are ahead by. That ends with the longest time that a fetch may take, also
    /// where it has to begin anew again and again.
    func isCatchingUp(at time: UInt64) -> Bool {
        let longest = startedAt + Fetch.patienceFactorMax * Fetch.patienceMicroseconds + Fetch.catchUpMicroseconds
        return time < min(lastAnswerAt + Fetch.catchUpMicroseconds, longest)
    }
}
