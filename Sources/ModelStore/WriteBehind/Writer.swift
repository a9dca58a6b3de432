/// What only the queue of a ``WriteBehind`` touches: the store, and what it could not yet write.
///
// Unchecked because a store is not Sendable: every access is made on the serial queue of the one WriteBehind that owns
// this, and the store was sent to it.
final class Writer: @unchecked Sendable {
    let onEvent: @Sendable (StoreEvent) -> Void
    /// What was taken for a flush and is not in the file.
    var kept = PendingChanges()
    private let store: Store
    private let configuration: WriteBehindConfiguration
    /// Attempts that failed since the last good one.
    private var failures = 0
    private var pause: Duration
    /// The file says that it holds part of a flush.
    private var isInPieces = false
    /// The file took the place of another, and its owner has not noted everything anew.
    private var isPartial = false

    init(
        _ store: sending Store, configuration: WriteBehindConfiguration,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) {
        self.store = store
        self.configuration = configuration
        self.onEvent = onEvent
        pause = configuration.retryInterval
    }

    /// Writes one transaction of a flush.
    func write(_ changes: StoreChanges, isLast: Bool, durably: Bool) -> StoreError? {
        var changes = changes
        if !isLast || isInPieces { changes.facts[StoreFacts.Key.whole] = [isLast ? 1 : 0] }
        // Where writing has failed, a flush of nothing is to find out whether it works again.
        if failures > 0 { changes.facts[StoreFacts.Key.closed] = [0] }
        let error = write(changes, durably: durably)
        if error == nil {
            isInPieces = !isLast
            if isLast { store.trimLog() }
        }
        return error
    }

    /// Writes commits in one transaction. A new file takes none before it holds what the one before held: nobody is to
    /// rely on the later part of something whose earlier part is gone.
    func commit(_ changes: [StoreChanges]) -> StoreError? {
        do throws(StoreError) {
            try renewIfNeeded()
            guard !isPartial else {
                throw StoreError(.renewing, path: store.path, "what was in the file before is not in the new one yet")
            }
            try store.write(changes, durably: true)
            return nil
        } catch {
            return error
        }
    }

    private func write(_ changes: StoreChanges, durably: Bool) -> StoreError? {
        do throws(StoreError) {
            try renewIfNeeded()
            try store.write(changes, durably: durably)
            if changes.facts[StoreFacts.Key.partial] == [0] { isPartial = false }
            return nil
        } catch {
            return error
        }
    }

    /// A file that has proved to be damaged, or was taken away, is replaced.
    private func renewIfNeeded() throws(StoreError) {
        guard store.isCorrupt || store.isDetached else { return }
        let report = try store.replace()
        (isInPieces, isPartial) = (false, true)
        onEvent(.replaced(report))
    }

    func read<R>(_ body: (Store) throws(StoreError) -> R) throws(StoreError) -> R { try body(store) }

    func close() -> StoreError? {
        do throws(StoreError) {
            try store.close()
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: how long to wait before the next attempt.
    func fail() -> Duration {
        failures += 1
        defer { pause = min(pause * 2, configuration.retryIntervalMax) }
        return pause
    }

    /// - Returns: how many attempts had failed.
    func recover() -> Int {
        defer { (failures, pause) = (0, configuration.retryInterval) }
        return failures
    }

    /// Lets a test do what no user may.
    func withStore<R>(_ body: (Store) throws -> R) rethrows -> R { try body(store) }
}
