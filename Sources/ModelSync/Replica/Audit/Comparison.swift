import ModelCache
import ModelRecord
import ModelWire

/// Whether one relay holds what earlier starts of a publisher have written: one type after the other is compared by the
/// digests of its 256 buckets, and of the buckets that differ model by model.
///
/// What was acknowledged to an earlier start says nothing: a relay without a store may have been started again since,
/// or be another one. Digests that differ do not say that anything is missing, either, for they count what others have
/// written. So each model that may be missing is fetched.
struct Comparison: Sendable {
    /// What the relay is asked.
    enum Question: Sendable {
        case digest(type: String)
        case fetch(type: String, ids: [String])
    }

    /// What there is to do next.
    enum Step {
        case ask(Question)
        /// More is to be looked through, later: the thread has other work.
        case pause
        case done
    }

    private var types: ArraySlice<String>
    /// Of each bucket of the first type, whether the digests were equal; nil before they are known.
    private var equalities: [Bool]?
    private var bucket = 0
    /// Ids that are to be asked for.
    private var waiting: ArraySlice<String> = []
    /// What was asked, and when.
    private(set) var request: (rid: UInt64, question: Question, sentAt: UInt64)?
    /// What has come of the answer.
    private var records: [String: CellRecord] = [:]
    private var idCountMax = Comparison.idCountMax
    /// After a refusal that passes: live batches go on meanwhile.
    private var notBefore: UInt64 = 0
    private var pauses = 0
    /// Why something that the relay lacks cannot be brought there. The rest is compared all the same.
    var failure: String?

    private static let idCountMax = 512
    /// How many buckets are looked through at once, at most.
    private static let stride = 16

    init(_ former: FormerWrites) { types = former.types[...] }

    private var isThrough: Bool { types.isEmpty && request == nil }

    /// Everything was compared, and what the relay lacked is on its way.
    var isDone: Bool { isThrough && failure == nil }

    /// Everything was compared, and the relay will not have all.
    var finalFailure: String? { isThrough ? failure : nil }

    /// Nothing is under way, and no pause is.
    func mayAsk(at time: UInt64) -> Bool { request == nil && time >= notBefore }

    /// Finds out what to ask; nothing may be under way.
    /// - Parameter byteCountMax: what the ids of one question may take.
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

    /// The ids of the next question: one at least.
    private func fitting(_ byteCountMax: Int) -> [String] {
        var ids: [String] = []
        var byteCount = 0
        for id in waiting.prefix(idCountMax) {
            // With the head of its text.
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

    /// The relay has no time for the question: the same is asked again later.
    mutating func pause(now: UInt64, _ configuration: PusherConfiguration) {
        request = nil
        notBefore = now + configuration.pause(after: pauses)
        pauses += 1
    }

    /// The relay's digests of the first type.
    mutating func take(_ digests: [UInt64], _ former: FormerWrites) {
        guard case .digest(let type) = request?.question, digests.count == 256 else { return }
        request = nil
        pauses = 0
        equalities = zip(digests, former.cache.bucketDigests(of: type)).map { $0 == $1 }
    }

    /// Records of the answer to a fetch, or parts of a large one; what was not asked for is passed over.
    mutating func take(_ arrived: [CellRecord]) {
        guard case .fetch(_, let ids) = request?.question else { return }
        let asked = Set(ids)
        for record in arrived where asked.contains(record.id) {
            records[record.id] = records[record.id].flatMap { CellRecord.joining(parts: [$0, record]) } ?? record
        }
    }

    /// The answer to a fetch is complete.
    /// - Returns: what the relay lacks; nil when this answers something else.
    mutating func complete(_ former: FormerWrites) -> (type: String, ids: [String])? {
        guard case .fetch(let type, let ids) = request?.question else { return nil }
        finish(ids)
        return (type, ids.filter { !former.isHeld($0, of: type, by: records[$0]) })
    }

    /// The answer would be too large: less is asked for.
    /// - Parameter ids: what was asked for.
    /// - Returns: what can only be taken for missing, because its record alone is too large.
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
