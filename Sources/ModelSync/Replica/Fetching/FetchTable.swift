import ModelRecord

/// The models that are asked for, those who wait for them, and the fetches under way.
struct FetchTable {
    /// Somebody who waits for models of one type.
    struct Asker {
        let type: String
        var remaining: Set<ExactText>
        var found: [CellRecord] = []
    }

    private(set) var askers: [UInt64: Asker] = [:]
    /// Models that wait for their turn, by type, in the order in which they were asked for.
    private var queues: [String: [ExactText]] = [:]
    /// Models that wait or are under way.
    private var wanted: [String: Set<ExactText>] = [:]
    private(set) var open: [Fetch] = []
    private var nextNumber: UInt64 = 1
    /// Where the audit of held models goes on, and when.
    var audit = AuditPlace()
    /// Reaches that fetches have waited for in vain. They are not waited for again until a sender becomes live.
    private(set) var lost: [StreamKey: LostReach] = [:]
    /// Senders whose answers fetches have waited for in vain, as they are not live. The same holds for them.
    private(set) var lostSenders: Set<SenderID> = []
    /// How often held models have been compared.
    var comparisonCount: UInt64 = 0
    /// How many models of a type are asked for together, where it is fewer than usual: some answer was too large.
    private var sizes: [String: Int] = [:]
    /// Models that came back without the answer of some sender that may have more of them, and those of a lazy copy
    /// that may lack something.
    private var unsure: [Unsure] = []
    /// The type with which the last fetch began: the next is another's turn.
    private var lastType = ""
    /// The number of whoever nobody waits for, counted down; owners count theirs up.
    private var lastOwnToken = UInt64.max

    /// Models that are to be compared before others.
    struct Unsure {
        let type: String
        let ids: [String]
        /// Something of the type was passed over, so that a difference is no fault of anybody.
        let mayDiffer: Bool
        /// They are to be compared at once.
        let isUrgent: Bool
    }

    /// How many fetches of one type may be under way, so that those who ask one by one are asked for together.
    private static let openCountMax = 4
    /// How many fetches may be under way, so that the answers of an honest sender stay below what one may bring.
    private static let openCountMaxOfAll = 8
    /// For how many fetches it is remembered that not all have answered.
    private static let unsureCountMax = 256

    var isIdle: Bool { askers.isEmpty && open.isEmpty && queues.isEmpty }

    subscript(number: UInt64) -> Fetch? { open.first { $0.number == number } }

    /// Somebody waits for these models. Each is asked for once, for all who wait.
    mutating func add(_ token: UInt64, _ asker: Asker) {
        askers[token] = asker
        for id in asker.remaining.sorted() where wanted[asker.type, default: []].insert(id).inserted {
            queues[asker.type, default: []].append(id)
        }
    }

    /// These models are to come back, although no task waits for them.
    mutating func bringBack(_ ids: [String], of type: String) {
        guard !ids.isEmpty else { return }
        lastOwnToken -= 1
        add(lastOwnToken, Asker(type: type, remaining: Set(ids.lazy.map(ExactText.init))))
    }

    /// Somebody waits no longer. What is under way goes on; what has not begun does so for others only.
    mutating func remove(_ token: UInt64) -> Asker? {
        guard let asker = askers.removeValue(forKey: token) else { return nil }
        let others = askers.values.filter { $0.type == asker.type }
        queues[asker.type]?.removeAll { id in
            guard asker.remaining.contains(id), !others.contains(where: { $0.remaining.contains(id) }) else {
                return false
            }
            wanted[asker.type]?.remove(id)
            return true
        }
        if queues[asker.type]?.isEmpty ?? false { queues[asker.type] = nil }
        return asker
    }

    /// The next fetches to begin: of each type in turn.
    mutating func begin(now: UInt64) -> [Fetch] {
        var begun: [Fetch] = []
        while open.count(where: { $0.purpose == .bringsBack }) < FetchTable.openCountMaxOfAll {
            let free = queues.keys.filter { type in
                open.count { $0.type == type && $0.purpose == .bringsBack } < FetchTable.openCountMax
            }.sorted()
            guard let type = free.first(where: { $0 > lastType }) ?? free.first, let queue = queues[type] else { break }
            lastType = type
            let part = queue.prefix(size(of: type))
            queues[type] = queue.count > part.count ? Array(queue.dropFirst(part.count)) : nil
            begun.append(make(type, part.map(\.text), .bringsBack, now: now))
        }
        return begun
    }

    /// How many models of a type are asked for together.
    func size(of type: String) -> Int { sizes[type] ?? Fetch.idCountMax }

    /// Takes note that the answer to a fetch is not that of all senders: its models are to be compared soon.
    mutating func noteUnsure(_ fetch: Fetch) {
        unsure.append(Unsure(type: fetch.type, ids: fetch.ids, mayDiffer: fetch.mayDiffer, isUrgent: false))
        if unsure.count > FetchTable.unsureCountMax { unsure.removeFirst() }
    }

    /// Takes note that models which are held may lack something, so that they are to be compared at once. Those of the
    /// type that were noted so before are among them.
    mutating func noteUnsure(_ ids: [String], of type: String) {
        unsure.removeAll { $0.isUrgent && $0.type == type }
        for start in stride(from: 0, to: ids.count, by: size(of: type)) {
            let part = Array(ids[start..<min(start + size(of: type), ids.count)])
            unsure.append(Unsure(type: type, ids: part, mayDiffer: true, isUrgent: true))
        }
    }

    /// Models are to be compared at once.
    var hasUrgent: Bool { unsure.contains(where: \.isUrgent) }

    /// The next models that are to be compared before others.
    mutating func takeUnsure() -> Unsure? {
        unsure.isEmpty ? nil : unsure.remove(at: unsure.firstIndex(where: \.isUrgent) ?? 0)
    }

    /// Takes note of what a fetch has waited for in vain.
    mutating func noteLost(by fetch: Fetch) {
        lost.merge(fetch.lost) { $1 }
        lostSenders.formUnion(fetch.lostSenders)
    }

    /// Waits for it again, as a sender has become live that may have it.
    mutating func forgetLost() { (lost, lostSenders) = ([:], []) }

    /// A fetch that compares held models.
    mutating func beginAudit(of type: String, _ ids: [String], now: UInt64) { make(type, ids, .audits, now: now) }

    /// A fetch that compares models before others.
    mutating func beginAudit(of unsure: Unsure, now: UInt64) {
        let fetch = make(unsure.type, unsure.ids, .audits, now: now)
        (fetch.isUnsure, fetch.mayDiffer) = (true, unsure.mayDiffer)
    }

    var isAuditing: Bool { open.contains { $0.purpose == .audits } }

    @discardableResult
    private mutating func make(_ type: String, _ ids: [String], _ purpose: Fetch.Purpose, now: UInt64) -> Fetch {
        let fetch = Fetch(number: nextNumber, type: type, ids: ids, purpose: purpose, now: now)
        nextNumber += 1
        open.append(fetch)
        return fetch
    }

    /// Takes a fetch out that has come to its end.
    mutating func end(_ fetch: Fetch) {
        open.removeAll { $0 === fetch }
        if let size = sizes[fetch.type] { sizes[fetch.type] = size * 2 < Fetch.idCountMax ? size * 2 : nil }
        if fetch.purpose == .bringsBack { for id in fetch.ids { wanted[fetch.type]?.remove(ExactText(id)) } }
    }

    /// Takes a fetch out whose models are to be asked for anew; an audit just ends.
    /// - Parameter isTooLarge: fewer of the type together from now on.
    mutating func putBack(_ fetch: Fetch, isTooLarge: Bool) {
        open.removeAll { $0 === fetch }
        if isTooLarge { sizes[fetch.type] = max(fetch.ids.count / 2, 1) }
        guard fetch.purpose == .bringsBack else {
            if fetch.isUnsure { noteUnsure(fetch) }
            return
        }
        queues[fetch.type] = fetch.ids.map(ExactText.init) + (queues[fetch.type] ?? [])
    }

    /// Hands found models to those who wait for them.
    /// - Returns: those who have all that they asked for.
    mutating func deliver(_ fetch: Fetch, _ found: (String) -> CellRecord?) -> [(token: UInt64, [CellRecord])] {
        var done: [(token: UInt64, [CellRecord])] = []
        for (token, asker) in askers where asker.type == fetch.type {
            var asker = asker
            for id in fetch.ids where asker.remaining.remove(ExactText(id)) != nil {
                if let record = found(id) { asker.found.append(record) }
            }
            askers[token] = asker.remaining.isEmpty ? nil : asker
            if asker.remaining.isEmpty, token < lastOwnToken { done.append((token, asker.found)) }
        }
        return done.sorted { $0.token < $1.token }
    }
}

/// The place in the copy where the audit of held models goes on.
struct AuditPlace {
    var type = ""
    var bucket = 0
    /// The last id of the bucket that was audited; nil where none was.
    var last: ExactText?
    /// When the next models are audited.
    var at: UInt64 = 0
}
