import ModelCache
import ModelRecord
import ModelWire

/// The comparison of what earlier starts of a publisher have written with the copy of one relay. One type after the
/// other is compared by the digests of its 256 buckets, and buckets that differ model by model.
///
/// An acknowledgement of an earlier start says nothing: a relay without a store may have been started again since, or
/// be another one. Digests that differ do not say that anything is missing, because they count what others have
/// written, too. So each model that may be missing is fetched.
struct Comparison: Sendable {
    /// A question to the relay.
    enum Question: Sendable {
        case digest(type: String)
        case fetch(type: String, ids: [String])
    }

    /// The next step.
    enum Step {
        case ask(Question)
        /// More buckets are to be looked through, but later: the thread has other work.
        case pause
        case done
    }

    private var types: ArraySlice<String>
    /// For each bucket of the first type, whether the digests were equal; nil before they are known.
    private var equalities: [Bool]?
    private var bucket = 0
    /// The ids that are still to be asked for.
    private var waiting: ArraySlice<String> = []
    /// The question that is under way, and when it was sent.
    private(set) var request: (rid: UInt64, question: Question, sentAt: UInt64)?
    /// The records of the answer that have come.
    private var records: [ExactText: CellRecord] = [:]
    private var idCountMax = Comparison.idCountMax
    /// Nothing is asked before this time, after a refusal that passes. Batches go on meanwhile.
    private var notBefore: UInt64 = 0
    private var pauses = 0
    /// Why something that the relay lacks cannot be sent to it. The rest is compared all the same.
    var failure: String?

    private static let idCountMax = 512
    /// How many buckets are looked through at once, at most.
    private static let stride = 16

    init(_ former: FormerWrites) { types = former.types[...] }

    private var isThrough: Bool { types.isEmpty && request == nil }

    /// Everything was compared, and what the relay lacked was handed out to be sent.
    var isDone: Bool { isThrough && failure == nil }

    /// The failure, once everything was compared: the relay will not have all.
    var finalFailure: String? { isThrough ? failure : nil }

    /// No question is under way, and no pause.
    func mayAsk(at time: UInt64) -> Bool { request == nil && time >= notBefore }

    /// Finds out what to ask next. No question may be under way.
    /// - Parameter byteCountMax: how many bytes the ids of one question may take.
    mutating func next(_ former: FormerWrites, byteCountMax: Int) -> Step {
        while let type = types.first {
            guard let equalities else { return .ask(.digest(type: type)) }
            let end = min(bucket + Comparison.stride, 256)
            while waiting.isEmpty, bucket < end {
                waiting = former.ids(of: type, bucket: bucket, isEqual: equalities[bucket])[...]
                bucket += 1
            }
            if !waiting.isEmpty { return .ask(.fetch(type: type, ids: fitting(byteCountMax))) }
            guard bucket == 256 else { return .pause }
            types.removeFirst()
            self.equalities = nil
            bucket = 0
        }
        return .done
    }

    /// The ids of the next question, at least one.
    private func fitting(_ byteCountMax: Int) -> [String] {
        var ids: [String] = []
        var byteCount = 0
        for id in waiting.prefix(idCountMax) {
            // Three bytes are for the CBOR head of the text.
            byteCount += id.utf8.count + 3
            if byteCount > byteCountMax, !ids.isEmpty { break }
            ids.append(id)
        }
        return ids
    }

    mutating func asked(_ question: Question, rid: UInt64, at time: UInt64) {
        request = (rid, question, time)
        records = [:]
    }

    /// Puts the question off, because the relay has no time for it.
    mutating func pause(now: UInt64, _ configuration: PusherConfiguration) {
        request = nil
        notBefore = now + configuration.pause(after: pauses)
        pauses += 1
    }

    /// Takes the digests of the relay for the first type.
    mutating func take(_ digests: [UInt64], _ former: FormerWrites) {
        guard case .digest(let type) = request?.question, digests.count == 256 else { return }
        request = nil
        pauses = 0
        equalities = zip(digests, former.cache.bucketDigests(of: type)).map { $0 == $1 }
    }

    /// Takes records of the answer to a fetch, or parts of a large one. Records that were not asked for are passed
    /// over.
    mutating func take(_ arrived: [CellRecord]) {
        guard case .fetch(_, let ids) = request?.question else { return }
        let asked = Set(ids.lazy.map(ExactText.init))
        for record in arrived {
            let id = ExactText(record.id)
            guard asked.contains(id) else { continue }
            records[id] = records[id].flatMap { CellRecord.joining(parts: [$0, record]) } ?? record
        }
    }

    /// Ends the answer to a fetch.
    /// - Returns: the models that the relay lacks; nil when the request was something else.
    mutating func complete(_ former: FormerWrites) -> (type: String, ids: [String])? {
        guard case .fetch(let type, let ids) = request?.question else { return nil }
        finish(ids)
        return (type, ids.filter { !former.isHeld($0, of: type, by: records[ExactText($0)]) })
    }

    /// Asks for fewer ids, because the answer would be too large.
    /// - Parameter ids: the ids that were asked for.
    /// - Returns: the one model whose record alone is too large, so that it has to count as missing; else nil.
    mutating func shrink(_ type: String, _ ids: [String]) -> (type: String, ids: [String])? {
        guard ids.count == 1 else {
            idCountMax = max(ids.count / 2, 1)
            request = nil
            return nil
        }
        finish(ids)
        return (type, ids)
    }

    private mutating func finish(_ ids: [String]) {
        request = nil
        pauses = 0
        waiting.removeFirst(ids.count)
        if idCountMax < Comparison.idCountMax { idCountMax = min(idCountMax * 2, Comparison.idCountMax) }
    }
}
