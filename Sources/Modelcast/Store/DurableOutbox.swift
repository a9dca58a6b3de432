import ModelStore
import ModelSync
import ModelWire
import ZeroMQ

/// The messages of a publisher that wait for the disk. They leave in the order in which they came: each batch once it
/// is stored, and each reply after the batches that came before it, so that everything that it shows is on disk.
/// Belongs to the socket thread.
final class DurableOutbox {
    /// A waiting message.
    enum Message {
        case stream(Topic, [UInt8])
        case reply(peer: [UInt8], HeldMessage)
    }

    private struct Entry {
        let message: Message
        /// The commit that the message is part of, or waits for; nil until it is handed to the store.
        var token: UInt64?
    }

    private enum Preparation: Equatable {
        case none, due
        /// A flush is under way, with this token.
        case flushing(UInt64)
    }

    private let link: StoreLink
    private var entries: [Entry] = []
    /// The commits under way, in order.
    private var inFlight: [UInt64] = []
    private var nextToken: UInt64 = 1
    /// Whether a flush has to end before any commit: see ``flushFirst()``.
    private var preparation = Preparation.none
    /// The last commit that is on disk, together with all before it.
    private var done: UInt64 = 0
    private var retryAt: UInt64 = 0
    private var pause = DurableOutbox.pauseMin

    /// Why the disk refuses the waiting messages; nil while it does not.
    private(set) var failure: StoreError?
    /// The bytes of the waiting messages of the stream.
    private(set) var byteCount = 0

    /// The greatest number of commits under way. Further messages wait, and then go together.
    private static let inFlightMax = 2
    private static let pauseMin: UInt64 = 50_000
    private static let pauseMax: UInt64 = 2_000_000

    init(_ link: StoreLink) { self.link = link }

    var isEmpty: Bool { entries.isEmpty }

    /// When ``commit(now:noting:)`` has something to do; nil while it only waits for the end of a commit or flush.
    var nextDeadline: UInt64? {
        if case .flushing = preparation { return nil }
        return failure != nil && inFlight.isEmpty ? retryAt : nil
    }

    /// True where a reply need not wait: no message does, or the disk refuses, and then subscribers are served from
    /// memory.
    var isOpenForReplies: Bool { entries.isEmpty || failure != nil }

    func append(_ message: Message) {
        entries.append(Entry(message: message, token: nil))
        byteCount += message.streamByteCount
    }

    /// Makes the next commit wait for a flush of everything that the store was told before: a later start of the origin
    /// has begun. Where it began because the origin's clock was ahead, the records with stamps ahead are overwritten
    /// and the earlier start is void. A store with later batches, and without these facts, would let the stamps ahead
    /// win.
    func flushFirst() { preparation = .due }

    /// Returns whether no flush has to end first. Begins the flush that is due.
    private func isPrepared() -> Bool {
        if preparation == .due {
            preparation = .flushing(nextToken)
            link.flush(token: nextToken)
            nextToken += 1
        }
        return preparation == .none
    }

    /// Hands the messages that have come since to the store, in one commit. After a failure it hands over all waiting
    /// messages, once the pause is over.
    /// - Parameter note: is called with each batch.
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
        // Heads, replies and other messages are not stored. They wait for the batches before them.
        let token = changes.isEmpty ? inFlight.last ?? done : nextToken
        for index in first..<entries.count { entries[index].token = token }
        guard !changes.isEmpty else { return }
        nextToken += 1
        inFlight.append(token)
        link.commit(changes, token: token)
    }

    /// Notes the end of a commit, or of the flush before it.
    func settle(_ token: UInt64, _ error: StoreError?, now: Moment) {
        if preparation == .flushing(token) { return settleFlush(error, now: now) }
        // A commit from before the failure is ignored, as everything is committed again.
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
        // No commit is under way, so all waiting messages are committed again.
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

    /// Ends the pause, as the store works again.
    func retry() { retryAt = 0 }

    /// Removes and returns the messages that may be sent now. While the disk refuses, these include all replies.
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

    /// Stores all waiting batches, and removes and returns the messages. For the end of the publisher.
    /// - Throws: ``StoreError`` when the disk refuses or takes too long; the messages are dropped then.
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
    /// The batch in a message of the stream; nil where it is not a batch.
    fileprivate init?(_ topic: Topic, _ payload: [UInt8], now: Moment) {
        guard topic.type != nil, let identity = BatchIdentity(of: payload.span) else { return nil }
        self.init(
            origin: identity.origin, incarnation: identity.incarnation, topic: topic, sequence: identity.sequence,
            writtenMilliseconds: now.wallMilliseconds, payload: payload)
    }
}
