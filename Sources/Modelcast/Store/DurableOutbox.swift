import ModelStore
import ModelSync
import ModelWire
import ZeroMQ

/// What a publisher is to send once the disk has it: messages leave in the order in which they came, each batch after
/// it is stored, and each reply after the batches that were there before it: what it shows is on disk. Belongs to the
/// socket thread.
final class DurableOutbox {
    /// What waits.
    enum Message {
        case stream(Topic, [UInt8])
        case reply(peer: [UInt8], HeldMessage)
    }

    private struct Entry {
        let message: Message
        /// The commit that it is part of; nil before that.
        var token: UInt64?
    }

    private enum Preparation: Equatable {
        case none, due
        /// A flush is under way, under this number.
        case flushing(UInt64)
    }

    private let link: StoreLink
    private var entries: [Entry] = []
    /// The commits under way, in order.
    private var inFlight: [UInt64] = []
    private var nextToken: UInt64 = 1
    /// What must be on disk before any commit: see ``flushFirst()``.
    private var preparation = Preparation.none
    /// Everything up to this commit is on disk.
    private var done: UInt64 = 0
    private var retryAt: UInt64 = 0
    private var pause = DurableOutbox.pauseMin

    /// Why the disk does not take what waits; nil while it does.
    private(set) var failure: StoreError?
    /// What the waiting messages of the stream take.
    private(set) var byteCount = 0

    /// Further messages wait for one of them to end, and then go together.
    private static let inFlightMax = 2
    private static let pauseMin: UInt64 = 50_000
    private static let pauseMax: UInt64 = 2_000_000

    init(_ link: StoreLink) { self.link = link }

    var isEmpty: Bool { entries.isEmpty }

    /// When ``commit(now:noting:)`` has something to do; nil when only the end of a commit is waited for.
    var nextDeadline: UInt64? {
        if case .flushing = preparation { return nil }
        return failure != nil && inFlight.isEmpty ? retryAt : nil
    }

    /// A reply has nothing to wait for, or the disk refuses: then subscribers are served from memory.
    var isOpenForReplies: Bool { entries.isEmpty || failure != nil }

    func append(_ message: Message) {
        entries.append(Entry(message: message, token: nil))
        byteCount += message.streamByteCount
    }

    /// All that the store was told until now has to be on disk before anything more is committed: a later start of the
    /// origin has begun. Where that is because its clock was ahead, the records that lay ahead are overwritten, and the
    /// earlier start is void; a store that knows the later batches and not that would let what lay ahead win.
    func flushFirst() { preparation = .due }

    /// Nothing has to be on disk first; else that is begun.
    private func isPrepared() -> Bool {
        if preparation == .due {
            preparation = .flushing(nextToken)
            link.flush(token: nextToken)
            nextToken += 1
        }
        return preparation == .none
    }

    /// Hands what has come since to the store, in one commit; after a failure all that waits, once its pause is over.
    /// - Parameter note: told of each batch.
    func commit(now: Moment, noting note: (StoredBatch) -> Void) {
        if failure != nil {
            guard now.uptimeMicroseconds >= retryAt, inFlight.isEmpty else { return }
            for index in entries.indices { entries[index].token = nil }
        }
        guard isPrepared() else { return }
        guard inFlight.count < DurableOutbox.inFlightMax, entries.last.map({ $0.token == nil }) ?? false else { return }
        let first = (entries.lastIndex { $0.token != nil } ?? -1) + 1
        var changes = StoreChanges()
        for entry in entries[first...] {
            guard case .stream(let topic, let payload) = entry.message, topic.type != nil else { continue }
            guard let batch = StoredBatch(topic, payload, now: now) else {
                preconditionFailure("an origin has made a batch that cannot be read")
            }
            changes.batches.append(batch)
            note(batch)
        }
        // Heads, replies and the like are not stored: they follow what was sent before them.
        let token = changes.isEmpty ? inFlight.last ?? done : nextToken
        for index in first..<entries.count { entries[index].token = token }
        guard !changes.isEmpty else { return }
        nextToken += 1
        inFlight.append(token)
        link.commit(changes, token: token)
    }

    /// Takes note of the end of a commit, or of the flush before it.
    func settle(_ token: UInt64, _ error: StoreError?, now: Moment) {
        if preparation == .flushing(token) { return settleFlush(error, now: now) }
        // Of a commit before the failure nothing is waited for any more: all is committed again.
        guard let index = inFlight.firstIndex(of: token) else { return }
        guard let error else {
            inFlight.removeSubrange(...index)
            done = token
            failure = nil
            pause = DurableOutbox.pauseMin
            return
        }
        fail(error, now: now)
    }

    private func settleFlush(_ error: StoreError?, now: Moment) {
        if let error {
            preparation = .due
            return fail(error, now: now)
        }
        preparation = .none
        guard failure != nil else { return }
        // Nothing is under way: all that waits is committed anew.
        for index in entries.indices { entries[index].token = nil }
        failure = nil
        pause = DurableOutbox.pauseMin
    }

    private func fail(_ error: StoreError, now: Moment) {
        inFlight = []
        failure = error
        retryAt = now.uptimeMicroseconds + pause
        pause = min(pause * 2, DurableOutbox.pauseMax)
    }

    /// The store works again: no need to wait any longer.
    func retry() { retryAt = 0 }

    /// Takes what may be sent now; while the disk refuses, all replies.
    func takeReady() -> [Message] {
        let count = entries.firstIndex { entry in entry.token.map { $0 > done } ?? true } ?? entries.count
        var ready = entries.prefix(count).map(\.message)
        entries.removeFirst(count)
        byteCount -= ready.reduce(0) { $0 + $1.streamByteCount }
        if failure != nil {
            ready += entries.lazy.map(\.message).filter(\.isReply)
            entries.removeAll(where: \.message.isReply)
        }
        return ready
    }

    /// Stores all that waits and takes it out: at the end.
    /// - Throws: when the disk does not take it in time. What waited is not handed out then.
    func drain(now: Moment) throws(StoreError) -> [Message] {
        var changes = StoreChanges()
        changes.batches = entries.compactMap { entry in
            guard case .stream(let topic, let payload) = entry.message else { return nil }
            return StoredBatch(topic, payload, now: now)
        }
        defer {
            entries = []
            byteCount = 0
        }
        if preparation != .none { try link.behind.flush(within: DurableOutbox.drainLimit) }
        if !changes.isEmpty { try link.behind.commit(changes, within: DurableOutbox.drainLimit) }
        return entries.map(\.message)
    }

    private static let drainLimit = Duration.seconds(10)
}

extension DurableOutbox.Message {
    fileprivate var isReply: Bool { if case .reply = self { true } else { false } }

    fileprivate var streamByteCount: Int { if case .stream(_, let payload) = self { payload.count } else { 0 } }
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
