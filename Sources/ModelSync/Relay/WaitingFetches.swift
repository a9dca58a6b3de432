@_spi(CacheWriting) import ModelCache
import ModelGrants
import ModelRecord
import ModelWire

/// Fetches of peers that are answered when the models have been brought back into a copy with limits.
struct WaitingFetches {
    /// A fetch that is to be answered.
    struct Entry {
        let peer: [UInt8]
        let rid: UInt64
        let type: String
        let ids: [String]
        let rights: Rights
        /// When it is answered with what is here.
        let dueAt: UInt64
    }

    /// By the number under which the replica brings the models back.
    private var entries: [UInt64: Entry] = [:]
    /// Numbers that no host counts up to.
    private var lastToken = UInt64(1) << 62

    /// How many wait, and with how many ids: of one peer, and of all. What peers make the replica ask its senders is
    /// bounded so.
    private static let (ofPeer, ofAll) = ((count: 8, ids: 2_048), (count: 256, ids: 16_384))
    /// The longest that a fetch waits.
    static let microsecondsMax: UInt64 = 60_000_000

    /// Makes room for a fetch of a peer. Where all have filled theirs together, the oldest fetch of the peer with the
    /// most waits no longer: nobody keeps others out.
    /// - Returns: the fetches that are to be answered with what is here; nil where the peer itself has too many.
    mutating func makeRoom(for peer: [UInt8], idCount: Int) -> [(token: UInt64, entry: Entry)]? {
        let own = entries.values.filter { $0.peer == peer }
        guard own.count < WaitingFetches.ofPeer.count,
            own.reduce(idCount, { $0 + $1.ids.count }) <= max(WaitingFetches.ofPeer.ids, idCount)
        else { return nil }
        var displaced: [(token: UInt64, entry: Entry)] = []
        while entries.count >= WaitingFetches.ofAll.count
            || entries.values.reduce(idCount, { $0 + $1.ids.count }) > WaitingFetches.ofAll.ids
        {
            let counts = entries.values.reduce(into: [[UInt8]: Int]()) { $0[$1.peer, default: 0] += $1.ids.count }
            let most = counts.values.max()
            let oldest = entries.lazy.filter { counts[$0.value.peer] == most }.map(\.key).min()
            guard let oldest, let entry = entries.removeValue(forKey: oldest) else { break }
            displaced.append((oldest, entry))
        }
        return displaced
    }

    mutating func add(_ entry: Entry) -> UInt64 {
        lastToken += 1
        entries[lastToken] = entry
        return lastToken
    }

    mutating func take(_ token: UInt64) -> Entry? { entries.isEmpty ? nil : entries.removeValue(forKey: token) }

    /// Takes out what does not wait any longer, in the order in which it came.
    mutating func take(where isOver: (Entry) -> Bool) -> [(token: UInt64, entry: Entry)] {
        guard !entries.isEmpty else { return [] }
        let over = entries.filter { isOver($0.value) }.sorted { $0.key < $1.key }
        for (token, _) in over { entries[token] = nil }
        return over.map { (token: $0.key, entry: $0.value) }
    }

    /// When the next one is answered at the latest.
    var nextDeadline: UInt64? { entries.values.lazy.map(\.dueAt).min() }
}

extension RelayMachine {
    /// Begins to bring models back for a peer, where some of them have left the copy.
    /// - Returns: false where nothing has to be brought back.
    func beginFetch(
        _ rid: UInt64, type: String, ids: [String], milliseconds: UInt64, for peer: [UInt8], _ rights: Rights,
        now: Moment
    ) -> Bool {
        guard rights.mayRead(type), ids.contains(where: { cache.presence(of: type, $0) == .evicted }) else {
            return false
        }
        guard let displaced = waitingFetches.makeRoom(for: peer, idCount: ids.count) else {
            let message = "too many fetches of this peer wait for what has left the copy: wait for some of them"
            service.refuse(rid, .busy, message, peer, now: now, &counters)
            return true
        }
        end(displaced, now: now)
        let patience = min(milliseconds, WaitingFetches.microsecondsMax / 1000) * 1000
        let token = waitingFetches.add(
            WaitingFetches.Entry(
                peer: peer, rid: rid, type: type, ids: ids, rights: rights, dueAt: now.uptimeMicroseconds + patience))
        replica.fetch(ids, of: type, token: token, now: now)
        collect(now: now)
        return true
    }

    /// Answers a peer with models that have been brought back. They may have left the copy again.
    func answer(_ entry: WaitingFetches.Entry, with records: [CellRecord], now: Moment) {
        let copy = ModelCache()
        // Models that readers do not see are among the answers of this end, as where nothing has to be brought back.
        let unseen = entry.ids.compactMap { cache.record(type: entry.type, id: $0, includingTombstones: true) }
        copy.commit { commit in commit.join(records + unseen, type: entry.type) }
        // Some sender is away that may have them.
        let unsure = entry.ids.filter { id in
            !cache.isBlind && copy[entry.type, id] == nil && cache.presence(of: entry.type, id) == .evicted
        }
        answer(entry, from: copy, unsure: Set(unsure.map(ExactText.init)), now: now)
    }

    /// Answers the fetches whose time is up with what is here.
    func answerLateFetches(now: Moment) {
        end(waitingFetches.take { $0.dueAt <= now.uptimeMicroseconds }, now: now)
    }

    /// Answers fetches with what is here.
    private func end(_ fetches: [(token: UInt64, entry: WaitingFetches.Entry)], now: Moment) {
        for (token, entry) in fetches {
            replica.cancelFetch(token)
            answer(entry, from: cache, now: now)
        }
    }

    /// - Parameter unsure: the ids of models that may exist and are not in the copy; nil where the copy knows.
    private func answer(
        _ entry: WaitingFetches.Entry, from copy: ModelCache, unsure: Set<ExactText>? = nil, now: Moment
    ) {
        let told = heads(prefixes: nil, isServing: true, fillsFrame: false, now: now)
        service.answer(
            .fetch(rid: entry.rid, type: entry.type, ids: entry.ids), to: entry.peer, entry.rights,
            with: ControlService.Served(heads: told, cache: copy, unsure: unsure), now: now, counters: &counters)
        if !service.isMadeInTurns { service.makeAnswers(now: now, counters: &counters) }
        takeReplies()
    }

    /// Ends what is brought back for a peer that has gone, or has cancelled a request.
    /// - Parameter rid: that request; nil for all.
    func endFetches(of peer: [UInt8], _ rid: UInt64? = nil) {
        for (token, _) in waitingFetches.take(where: { $0.peer == peer && $0.rid == rid ?? $0.rid }) {
            replica.cancelFetch(token)
        }
    }
}
