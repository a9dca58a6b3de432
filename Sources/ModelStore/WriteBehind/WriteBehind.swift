import Dispatch
import ModelCache
public import ModelRecord

/// A queue in front of a ``Store``. Noting never waits for the disk, and commits wait for nothing else.
///
/// - ``note(_:)`` keeps the newest record of each model, and all of them are written once in an interval. A model that
///   changes a thousand times between two flushes costs one row. The call takes a lock for a moment and never waits for
///   the disk.
/// - ``commit(_:completion:)`` is for changes that must be on disk before something is sent or acknowledged. All
///   waiting commits share one transaction and one fsync.
/// - Where writing fails, commits fail with the reason. Noted changes are kept, conflated, and tried again with growing
///   pauses. ``status`` shows this meanwhile, and events report its beginning and its end.
/// - Memory is bounded: one entry for each distinct model, head, origin and fact, and a limit for the bytes of batches.
///
/// Everything may be called from any thread. Completions and events are called on the queue of the store: they must be
/// short and must not wait for it.
public final class WriteBehind: Sendable {
    /// Called when a commit or a flush is done, with the error when it failed.
    public typealias Completion = @Sendable (StoreError?) -> Void

    struct WaitingCommit {
        /// The removals of batches that were noted before this commit, or come with it.
        var removals = StoreChanges()
        let changes: StoreChanges
        let byteCount: Int
        let completion: Completion
    }

    struct State {
        var pending = PendingChanges()
        var commits: [WaitingCommit] = []
        var commitByteCount = 0
        var flushWaiters: [Completion] = []
        /// The next work includes a flush.
        var isFlushDue = false
        /// A timer runs that will set `isFlushDue`.
        var isFlushTimed = false
        /// A call of `work()` is on the queue.
        var isScheduled = false
        var isClosed = false
        /// The time of the last failed commit; nil once a commit has succeeded.
        var commitFailedAt: ContinuousClock.Instant?
        /// Models that the writer has taken and not yet written.
        var takenModels = 0
        var status = WriteBehindStatus()
    }

    let configuration: WriteBehindConfiguration
    let state = Guarded(State())
    let queue = DispatchQueue(label: "modelcast.store")
    let writer: StoreWriter
    let path: String

    /// Takes over a store.
    /// - Parameter onEvent: is called on the store's queue when writing begins to fail, recovers, or has replaced the
    ///   file.
    public init(
        _ store: sending Store, configuration: WriteBehindConfiguration = WriteBehindConfiguration(),
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        path = store.path
        writer = StoreWriter(store, configuration: configuration, onEvent: onEvent)
    }

    /// Notes changes, which are in the file after the next flush. A closed queue ignores them.
    ///
    /// Heads are never written before the records that were noted with them.
    public func note(_ changes: StoreChanges) {
        let next = state.withLock { state -> Next in
            guard !state.isClosed else { return .nothing }
            state.status.conflated += state.pending.note(changes)
            state.status.noted += changes.records.count + changes.removedRecords.count
            if !changes.batches.isEmpty {
                state.status.droppedBatches += state.pending.limitBatches(to: configuration.notedBatchByteCountMax)
            }
            return state.next(configuration)
        }
        go(next)
    }

    /// Notes the newest record of one model. A closed queue ignores it.
    public func note(_ record: CellRecord, type: String) {
        let next = state.withLock { state -> Next in
            guard !state.isClosed else { return .nothing }
            if state.pending.note(record, type: type) { state.status.conflated += 1 }
            state.status.noted += 1
            return state.next(configuration)
        }
        go(next)
    }

    /// Writes changes, which are on disk when `completion` is called without an error.
    ///
    /// Commits are written in the order of the calls. The batches of a failed commit are forgotten, and the caller
    /// decides what becomes of them; its other changes stay noted. A commit that is refused at once, because too many
    /// bytes wait (``StoreError/Code/overloaded``) or the queue is closed, leaves nothing behind.
    public func commit(_ changes: StoreChanges, completion: @escaping Completion) {
        let byteCount = changes.batchByteCount
        let (timer, work, refusal) = state.withLock { state -> (Next, Next, StoreError?) in
            if let refusal = self.refusal(of: byteCount, state) { return (.nothing, .nothing, refusal) }
            var timer = Next.nothing
            var commit = WaitingCommit(changes: changes, byteCount: byteCount, completion: completion)
            // The changes are also noted, so that an older note of the same model cannot be written after them.
            if changes.hasModels || changes.hasState || changes.hasRemovals {
                state.pending.note(changes.withoutBatches)
                timer = state.next(configuration)
            }
            commit.removals = state.pending.takeRemovals()
            state.commits.append(commit)
            state.commitByteCount += byteCount
            return (timer, state.schedule(), nil)
        }
        if let refusal { return completion(refusal) }
        go(timer)
        go(work)
    }

    private func refusal(of byteCount: Int, _ state: borrowing State) -> StoreError? {
        if state.isClosed { return StoreError(.closed, path: path, "committing") }
        // A commit that is larger than the limit passes when it is alone.
        guard state.commitByteCount > 0, state.commitByteCount + byteCount > configuration.commitByteCountMax else {
            return nil
        }
        return StoreError(
            .overloaded, path: path, "\(state.commits.count) commits of \(state.commitByteCount) bytes wait")
    }

    /// Writes everything that was noted before, now. `completion` is called when it is on disk.
    public func flush(completion: @escaping Completion) {
        let next = state.withLock { state -> Next? in
            guard !state.isClosed else { return nil }
            state.flushWaiters.append(completion)
            state.isFlushDue = true
            return state.schedule()
        }
        guard let next else { return completion(StoreError(.closed, path: path, "flushing")) }
        go(next)
    }

    /// The same as ``commit(_:completion:)``, and waits for it. Not to be called on the threads of tasks.
    /// - Throws: ``StoreError``; ``StoreError/Code/timedOut`` when the limit has passed, after which the changes may
    ///   still be written.
    public func commit(_ changes: StoreChanges, within limit: Duration) throws(StoreError) {
        try wait(within: limit, "committing") { commit(changes, completion: $0) }
    }

    /// The same as ``flush(completion:)``, and waits for it. Not to be called on the threads of tasks.
    public func flush(within limit: Duration) throws(StoreError) {
        try wait(within: limit, "flushing") { flush(completion: $0) }
    }

    /// The figures at this moment.
    public var status: WriteBehindStatus {
        state.withLock { state in
            var status = state.status
            status.pendingModels = state.pending.modelCount + state.takenModels
            status.pendingCommits = state.commits.count
            return status
        }
    }

    /// Flushes and closes the store. Later notes are ignored, and later commits fail.
    /// - Throws: ``StoreError`` when the last flush or the closing fails. The store is closed all the same; when the
    ///   limit has passed, it will be closed later.
    public func close(within limit: Duration = .seconds(30)) throws(StoreError) {
        try wait(within: limit, "closing") { completion in
            let next = state.withLock { state -> Next? in
                guard !state.isClosed else { return nil }
                state.isClosed = true
                state.isFlushDue = true
                state.flushWaiters.append { [writer] error in completion(writer.close() ?? error) }
                return state.schedule()
            }
            guard let next else { return completion(nil) }
            go(next)
        }
    }
}

extension WriteBehind {
    /// Reads from the store, between two writes, and waits for the result. Not to be called on the threads of tasks.
    ///
    /// `body` does not see changes that were noted and not flushed.
    /// - Throws: ``StoreError``; ``StoreError/Code/timedOut`` when the limit has passed.
    public func read<R: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (Store) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let result = ReadResult<R>()
        try wait(within: limit, "reading") { completion in
            queue.async { [writer] in
                do throws(StoreError) {
                    let value = try writer.read(body)
                    result.value.withLock { $0 = value }
                    completion(nil)
                } catch {
                    completion(error)
                }
            }
        }
        guard let value = result.value.withLock({ $0 }) else { preconditionFailure("a read ended without its result") }
        return value
    }

    /// The call that follows once the lock is released.
    enum Next {
        case nothing
        case work
        case timer
    }

    func go(_ next: Next) {
        switch next {
        case .nothing: break
        case .work: queue.async { self.work() }
        case .timer: startTimer(configuration.flushInterval)
        }
    }

    /// Makes a flush due after a time. The timer does not keep this object alive.
    func startTimer(_ interval: Duration) {
        queue.asyncAfter(deadline: .now() + interval.dispatchInterval) { [weak self] in
            guard let self else { return }
            let next = state.withLock { state -> Next in
                state.isFlushTimed = false
                state.isFlushDue = true
                return state.schedule()
            }
            go(next)
        }
    }

    private func wait(
        within limit: Duration, _ work: String, _ start: (@escaping Completion) -> Void
    ) throws(StoreError) {
        let done = DispatchSemaphore(value: 0)
        let result = WaitResult()
        start { error in
            result.error.withLock { $0 = error }
            done.signal()
        }
        guard done.wait(timeout: .now() + limit.dispatchInterval) == .success else {
            throw StoreError(.timedOut, path: path, "\(work) took longer than \(limit)")
        }
        if let error = result.error.withLock({ $0 }) { throw error }
    }
}

/// Hands the error of a completion to the waiting thread.
private final class WaitResult: Sendable {
    let error = Guarded<StoreError?>(nil)
}

/// Hands the result of a read to the waiting thread.
private final class ReadResult<R: Sendable>: Sendable {
    let value = Guarded<R?>(nil)
}

extension WriteBehind.State {
    /// Decides what follows a note: work at once, a timer, or nothing.
    mutating func next(_ configuration: WriteBehindConfiguration) -> WriteBehind.Next {
        if case .degraded = status.health { return .nothing }
        if pending.modelCount >= configuration.flushModelCount, !isFlushDue {
            isFlushDue = true
            return schedule()
        }
        guard !isFlushTimed, !isFlushDue else { return .nothing }
        isFlushTimed = true
        return .timer
    }

    mutating func schedule() -> WriteBehind.Next {
        guard !isScheduled else { return .nothing }
        isScheduled = true
        return .work
    }
}

extension Duration {
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let (nanoseconds, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isOver else { return .never }
        return .nanoseconds(Int(clamping: nanoseconds) + Int(attoseconds / 1_000_000_000))
    }
}
