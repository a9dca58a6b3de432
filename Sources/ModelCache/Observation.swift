public import Dispatch
import ModelRecord

/// A registration that lasts until it is cancelled or released.
///
/// Keep it as long as you want to be told. It keeps the cache alive.
public final class Observation: Sendable {
    private let cache: ModelCache
    private let interest: Interest
    let inbox: Inbox

    init(_ cache: ModelCache, _ interest: Interest, _ inbox: Inbox) {
        self.cache = cache
        self.interest = interest
        self.inbox = inbox
    }

    deinit { cancel() }

    /// Ends the observation.
    ///
    /// After it returns on the delivery queue (a serial one) no callback begins; elsewhere, one that was about to
    /// begin may still run. The handler is released. Cancelling twice is harmless.
    public func cancel() {
        cache.cut.withLock { $0.observers.remove(inbox, interest) }
        inbox.close()
    }
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
    ///
    /// - Parameters:
    ///   - queue: where `handler` is called.
    /// - Returns: the token; the observation ends when it is cancelled or released.
    public func observe(
        _ interest: Interest, on queue: DispatchQueue, _ handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> Observation {
        register(interest, .queue(queue, handler))
    }

    /// The same on the thread that commits, once its locks are free: what is behind ``observe(_:on:_:)`` but the way to
    /// another thread, which takes some microseconds.
    ///
    /// Calls never overlap: while one is at work on one thread, another thread leaves it what it has committed.
    package func observe(
        _ interest: Interest, inline handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> Observation {
        register(interest, .inline(handler))
    }

    /// The current state of what is of interest, then every later change: ``observe(_:on:_:)`` as an asynchronous
    /// sequence, with the same contract.
    ///
    /// Registered at once, not at the first iteration. For one consumer.
    public func changes(_ interest: Interest) -> ChangeStream {
        ChangeStream(register(interest, .stream))
    }

    private func register(_ interest: Interest, _ consumer: Inbox.Consumer) -> Observation {
        let inbox = Inbox(consumer)
        let isToBeWoken = cut.withLock { cut in
            // Between two commits: the state that is told first is the one that the first change starts from.
            cut.observers.add(inbox, interest)
            switch interest {
            case .everything: return inbox.begin(InitialState(snapshot(of: &cut), types: nil), nil)
            case .type(let type): return inbox.begin(InitialState(snapshot(of: &cut), types: [type]), nil)
            case .model(let type, let id): return inbox.begin(nil, current(type, id, cut.commitNumber))
            }
        }
        if isToBeWoken { inbox.wake() }
        return Observation(self, interest, inbox)
    }

    private func current(_ type: String, _ id: String, _ commitNumber: UInt64) -> ChangeSet? {
        guard let record = self[type, id] else { return nil }
        let section = ChangeSection(type: type, entries: [ChangeEntry(old: nil, new: record)])
        return ChangeSet(sections: [section], isInitial: true, commitNumber: commitNumber)
    }
}
