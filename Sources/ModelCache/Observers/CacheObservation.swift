public import Dispatch
import ModelRecord
import Synchronization

/// A registration that lasts until it is cancelled or released.
///
/// Keep it as long as you want to be told. The token keeps the cache alive.
public final class CacheObservation: Sendable {
    /// The inbox or the lane that the observer is told from.
    enum Registration: Sendable {
        case inbox(Inbox)
        case lane(SharedInbox, UInt32)
    }

    private let cache: ModelCache
    private let registration: Registration
    /// Set once, under the cut lock. The number in the lane may belong to another observer afterwards.
    private let isEnded = Atomic<Bool>(false)

    init(_ cache: ModelCache, _ registration: Registration) {
        self.cache = cache
        self.registration = registration
    }

    deinit { cancel() }

    /// Ends the observation and releases the handler. Cancelling twice is harmless.
    ///
    /// Called on the delivery queue, if that is a serial one, no callback begins after it returns. Called elsewhere, a
    /// callback that was about to begin may still run.
    /// - Complexity: O(1) for the observer of a single model, however many observers there are.
    public func cancel() {
        // The handler and what it captures are released outside of the locks.
        var left: SharedInboxMember?
        switch registration {
        case .inbox(let inbox):
            let table = inbox.interest.type.map(cache.makeTable)
            cache.cut.withLock { cut in
                guard !end() else { return }
                cut.observers.remove(inbox, table)
                if inbox.tellsEvictions { cut.evictionObservers.remove(inbox, table) }
            }
            inbox.close()
        case .lane(let lane, let number):
            left = cache.cut.withLock { cut in end() ? nil : cut.observers.vacate(number, of: lane) }
        }
        withExtendedLifetime(left) {}
    }

    /// - Returns: whether the observation had ended before.
    private func end() -> Bool { isEnded.exchange(true, ordering: .relaxed) }
}

extension ModelCache {
    /// Tells `handler` the current state of what is of interest, then every later change.
    ///
    /// - The current state comes first, as sets with ``ChangeSet/isInitial``: one or more sets for a type or for
    ///   everything, one set for a single model, none where nothing exists yet. Between it and the first change nothing
    ///   is missed, and nothing is told twice.
    /// - The changes of one commit arrive together, and commits arrive in their order. An update that changes no value
    ///   is not told.
    /// - A handler that is slower than the changes gets folded changes (``Change/isFolded``): the newest state, the
    ///   state that it was told last as the old one, and all fields that changed between. The changes that wait are
    ///   bounded by the greater of 4,096 and twice the number of models, and one more commit.
    /// - Calls never overlap and never run under a lock of the cache. The handler may read, commit, observe and cancel.
    /// - Observers of single models that share a queue object take turns on it, also where the queue is a concurrent
    ///   one. The changes that wait for all of them together are bounded by the greater of 4,096 and twice their
    ///   number. So a million of them cost a commit little more than the changes that it tells. An observer that must
    ///   not wait for others needs a queue of its own.
    ///
    /// - Parameters:
    ///   - interest: what is observed.
    ///   - evictions: the observer is told, too, which models leave a copy with limits (``ChangeReason/evicted``). No
    ///     model that is observed by its id does.
    ///   - queue: where `handler` is called.
    ///   - handler: called with the changes of each commit, or with folded ones.
    /// - Returns: the token; the observation ends when it is cancelled or released.
    public func observe(
        _ interest: Interest, evictions: Bool = false, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        guard case .model(let type, let id) = interest else {
            return register(Inbox(.queue(queue, handler), interest, tellsEvictions: evictions)).0
        }
        return register(makeTable(type), id, on: queue, handler)
    }

    /// Tells `handler` on the thread that commits, once the locks of the cache are free. The contract is that of
    /// ``observe(_:evictions:on:_:)``, without the microseconds that a change of thread takes.
    ///
    /// Calls never overlap: while a call runs on one thread, it also takes the changes that other threads commit.
    package func observe(
        _ interest: Interest, evictions: Bool = false, inline handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        register(Inbox(.inline(handler), interest, tellsEvictions: evictions)).0
    }

    /// The current state of what is of interest, then every later change: ``observe(_:evictions:on:_:)`` as an
    /// asynchronous sequence, with the same contract.
    ///
    /// The observation begins with this call, not with the first iteration. For one consumer.
    public func changes(_ interest: Interest, evictions: Bool = false) -> ChangeStream {
        let inbox = Inbox(.stream, interest, tellsEvictions: evictions)
        let (observation, _) = register(inbox)
        streams.add(inbox)
        return ChangeStream(observation, inbox, guardedBy: streamGuard)
    }

    /// - Returns: the observation, and the last commit before its first change.
    func register(_ inbox: Inbox, includingState: Bool = true) -> (CacheObservation, UInt64) {
        let interest = inbox.interest
        let table = interest.type.map(makeTable)
        let (isToBeWoken, commitNumber) = cut.withLock { cut in
            // The cut is between two commits, so the first change starts from the state that is told first.
            cut.observers.add(inbox, table)
            if inbox.tellsEvictions { cut.evictionObservers.add(inbox, table) }
            guard includingState else { return (false, cut.commitNumber) }
            let isToBeWoken =
                switch interest {
                case .everything: inbox.begin(InitialState(snapshot(of: &cut), types: nil), nil)
                case .type(let type): inbox.begin(InitialState(snapshot(of: &cut), types: [type]), nil)
                case .model(let type, let id): inbox.begin(nil, current(type, id, cut.commitNumber))
                }
            return (isToBeWoken, cut.commitNumber)
        }
        if isToBeWoken { inbox.wake() }
        return (CacheObservation(self, .inbox(inbox)), commitNumber)
    }

    /// Registers an observer of a single model, on a queue.
    private func register(
        _ table: TypeTable, _ id: String, on queue: DispatchQueue, _ handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        let (lane, number, isToBeWoken) = cut.withLock { cut in
            var member = SharedInboxMember(handler: handler, id: id, table: table, since: cut.commitNumber)
            if let record = table.record(id), record.isPresent { member.initial = record }
            return cut.observers.admit(member, on: queue)
        }
        if isToBeWoken { lane.wake() }
        return CacheObservation(self, .lane(lane, number))
    }

    private func current(_ type: String, _ id: String, _ commitNumber: UInt64) -> ChangeSet? {
        guard let record = self[type, id] else { return nil }
        let section = ChangeSection(type: type, entries: [ChangeEntry(old: nil, new: record)])
        return ChangeSet(section, isInitial: true, commitNumber: commitNumber)
    }
}
