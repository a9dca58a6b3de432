import ModelStore
import ModelSync
import ModelWire

/// What a publisher's stream is to send once the disk has it: messages leave in the order in which they came, each
/// batch after it is stored. Belongs to the socket thread.
final class DurableOutbox {
    private struct Entry {
        let topic: Topic
        let payload: [UInt8]
        /// The commit that it is part of; nil before that.
        var token: UInt64?
    }

    private let link: StoreLink
    private var entries: [Entry] = []
    /// The commits under way, in order.
    private var inFlight: [UInt64] = []
    private var nextToken: UInt64 = 1
    /// Everything up to this commit is on disk.
    private var done: UInt64 = 0
    private var retryAt: UInt64 = 0
    private var pause = DurableOutbox.pauseMin

    /// Why the disk does not take what waits; nil while it does.
    private(set) var failure: StoreError?
    /// What the waiting messages take.
    private(set) var byteCount = 0

    /// Further messages wait for one of them to end, and then go together.
    private static let inFlightMax = 2
    private static let pauseMin: UInt64 = 50_000
    private static let pauseMax: UInt64 = 2_000_000

    init(_ link: StoreLink) { self.link = link }

    var isEmpty: Bool { entries.isEmpty }

    /// When ``commit(now:noting:)`` has something to do; nil when only the end of a commit is waited for.
    var nextDeadline: UInt64? { failure != nil && inFlight.isEmpty ? retryAt : nil }

    func append(_ topic: Topic, _ payload: [UInt8]) {
        entries.append(Entry(topic: topic, payload: payload, token: nil))
        byteCount += payload.count
    }

    /// Hands what has come since to the store, in one commit; after a failure all that waits, once its pause is over.
    /// - Parameter note: told of each batch.
    func commit(now: Moment, noting note: (StoredBatch) -> Void) {
        if failure != nil {
            guard now.uptimeMicroseconds >= retryAt, inFlight.isEmpty else { return }
            for index in entries.indices { entries[index].token = nil }
        }
        guard inFlight.count < DurableOutbox.inFlightMax, entries.last.map({ $0.token == nil }) ?? false else { return }
        let first = (entries.lastIndex { $0.token != nil } ?? -1) + 1
        var changes = StoreChanges()
        for entry in entries[first...] where entry.topic.type != nil {
            guard let batch = StoredBatch(entry.topic, entry.payload, now: now) else {
                preconditionFailure("an origin has made a batch that cannot be read")
            }
            changes.batches.append(batch)
            note(batch)
        }
        // Heads and the like are not stored: they follow what was sent before them.
        let token = changes.isEmpty ? inFlight.last ?? done : nextToken
        for index in first..<entries.count { entries[index].token = token }
        guard !changes.isEmpty else { return }
        nextToken += 1
        inFlight.append(token)
        link.commit(changes, token: token)
    }

    /// Takes note of the end of a commit.
    func settle(_ token: UInt64, _ error: StoreError?, now: Moment) {
        // Of a commit before the failure nothing is waited for any more: all is committed again.
        guard let index = inFlight.firstIndex(of: token) else { return }
        guard let error else {
            inFlight.removeSubrange(...index)
            done = token
            failure = nil
            pause = DurableOutbox.pauseMin
            return
        }
        inFlight = []
        failure = error
        retryAt = now.uptimeMicroseconds + pause
        pause = min(pause * 2, DurableOutbox.pauseMax)
    }

    /// The store works again: no need to wait any longer.
    func retry() { retryAt = 0 }

    /// Takes what may be sent now.
    func takeReady() -> [(topic: Topic, payload: [UInt8])] {
        let count = entries.firstIndex { entry in entry.token.map { $0 > done } ?? true } ?? entries.count
        guard count > 0 else { return [] }
        let ready = entries.prefix(count).map { (topic: $0.topic, payload: $0.payload) }
        entries.removeFirst(count)
        byteCount -= ready.reduce(0) { $0 + $1.payload.count }
        return ready
    }

    /// Stores all that waits and takes it out: at the end.
    /// - Throws: when the disk does not take it in time. What waited is not handed out then.
    func drain(now: Moment) throws(StoreError) -> [(topic: Topic, payload: [UInt8])] {
        var changes = StoreChanges()
        changes.batches = entries.compactMap { StoredBatch($0.topic, $0.payload, now: now) }
        defer {
            entries = []
            byteCount = 0
        }
        if !changes.isEmpty { try link.behind.commit(changes, within: DurableOutbox.drainLimit) }
        return entries.map { ($0.topic, $0.payload) }
    }

    private static let drainLimit = Duration.seconds(10)
}

extension StoredBatch {
    /// A message of the stream, if it is a batch.
    fileprivate init?(_ topic: Topic, _ payload: [UInt8], now: Moment) {
        guard topic.type != nil, let identity = BatchIdentity(of: payload.span) else { return nil }
        self.init(
            origin: identity.origin, incarnation: identity.incarnation, topic: topic, sequence: identity.sequence,
            writtenMilliseconds: now.wallMilliseconds, payload: payload)
    }
}
