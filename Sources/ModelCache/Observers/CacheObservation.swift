public import Dispatch
import ModelRecord
import Synchronization

/// A registration that lasts until it is cancelled or released.
///
/// Keep it as long as you want to be told. It keeps the cache alive.
public final class CacheObservation: Sendable {
    /// Where it is told from.
    enum Place: Sendable {
        case inbox(Inbox)
        case lane(Lane, UInt32)
    }

    private let cache: ModelCache
    private let place: Place
    /// Set once, under the cut lock: the number in a lane is another's then.
    private let isEnded = Atomic<Bool>(false)

    init(_ cache: ModelCache, _ place: Place) {
        self.cache = cache
        self.place = place
    }

    deinit { cancel() }

    /// Ends the observation.
    ///
    /// After it returns on the delivery queue (a serial one) no callback begins; elsewhere, one that was about to
    /// begin may still run. The handler is released. Cancelling twice is harmless.
    /// - Complexity: O(1) for one of a single model, however many there are.
    public func cancel() {
        // Outside of the locks the handler is released, and whatever it holds on to.
        var left: LaneMember?
        switch place {
        case .inbox(let inbox):
            let table = inbox.interest.type.map(cache.makeTable)
            cache.cut.withLock { cut in
                if !end() { cut.observers.remove(inbox, table) }
            }
            inbox.close()
        case .lane(let lane, let number):
            left = cache.cut.withLock { cut in end() ? nil : cut.observers.vacate(number, of: lane) }
        }
        withExtendedLifetime(left) {}
    }

    /// - Returns: whether it had been ended before.
    private func end() -> Bool { isEnded.exchange(true, ordering: .relaxed) }
}

extension ModelCache {
    /// Tells `handler` the current state of what is of interest, then every later change.
    ///
    /// - The current state comes first, as sets with ``ChangeSet/isInitial``: of a type or of everything in one or more
    ///   sets, of a single model in one; where nothing exists yet there is none. Nothing between it and the first
    ///   change is missed, nothing is told twice.
    /// - Changes of one commit arrive together, commits in their order. An update that changes no value tells nobody.
    /// - A handler that is slower than the changes come is told the newest state, old being what it was told last, and
    ///   all fields that changed between (``Change/isFolded``). What waits is
    ///   bounded by the greater of 4,096 and twice the number of models, and one more commit.
    /// - Calls never overlap and never run under a lock of the cache; the handler may read, commit, observe and cancel.
    /// - Observers of single models that are given the same queue object take turns on it, also where the queue is a
    ///   concurrent one, and what waits for all of them together is bounded by the greater of 4,096 and twice their
    ///   number. So a million of them cost a commit little more than the changes that it tells. One that must not wait
    ///   for others has a queue of its own.
    ///
    /// - Parameters:
    ///   - queue: where `handler` is called.
    /// - Returns: the token; the observation ends when it is cancelled or released.
    public func observe(
        _ interest: Interest, on queue: DispatchQueue, _ handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        guard case .model(let type, let id) = interest else { return register(Inbox(.queue(queue, handler), interest)) }
        return register(makeTable(type), id, on: queue, handler)
    }

    /// The same on the thread that commits, once its locks are free: what is behind ``observe(_:on:_:)`` but the way to
    /// another thread, which takes some microseconds.
    ///
    /// Calls never overlap: while one is at work on one thread, another thread leaves it what it has committed.
    package func observe(
        _ interest: Interest, inline handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        register(Inbox(.inline(handler), interest))
    }

    /// The current state of what is of interest, then every later change: ``observe(_:on:_:)`` as an asynchronous
    /// sequence, with the same contract.
    ///
    /// Registered at once, not at the first iteration. For one consumer.
    public func changes(_ interest: Interest) -> ChangeStream {
        let inbox = Inbox(.stream, interest)
        let observation = register(inbox)
        streams.add(inbox)
        return ChangeStream(observation, inbox, guardedBy: streamGuard)
    }

    private func register(_ inbox: Inbox) -> CacheObservation {
        let interest = inbox.interest
        let table = interest.type.map(makeTable)
        let isToBeWoken = cut.withLock { cut in
            // Between two commits: the state that is told first is the one that the first change starts from.
            cut.observers.add(inbox, table)
            switch interest {
            case .everything: return inbox.begin(InitialState(snapshot(of: &cut), types: nil), nil)
            case .type(let type): return inbox.begin(InitialState(snapshot(of: &cut), types: [type]), nil)
            case .model(let type, let id): return inbox.begin(nil, current(type, id, cut.commitNumber))
            }
        }
        if isToBeWoken { inbox.wake() }
        return CacheObservation(self, .inbox(inbox))
    }

    /// One of a single model, on a queue.
    private func register(
        _ table: TypeTable, _ id: String, on queue: DispatchQueue, _ handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        let (lane, number, isToBeWoken) = cut.withLock { cut in
            var member = LaneMember(handler: handler, id: id, table: table, since: cut.commitNumber)
            if let record = table.record(id), record.exists { member.initial = record }
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
