/// The state that only the queue of a ``WriteBehind`` touches: the store, and the changes that are not written yet.
// Unchecked because a store is not Sendable. The one WriteBehind that owns this makes every access on its serial queue,
// and the store was sent to it.
final class StoreWriter: @unchecked Sendable {
    let onEvent: @Sendable (StoreEvent) -> Void
    /// The changes that were taken for a flush and are not in the file yet.
    var kept = PendingChanges()
    private let store: Store
    private let configuration: WriteBehindConfiguration
    /// The attempts that have failed since the last recovery.
    private var failures = 0
    private var pause: Duration
    /// The file is marked as holding a part of a flush.
    private var isInPieces = false
    /// The file took the place of another one, and its owner has not noted everything anew.
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
        // After a failure even an empty flush writes a fact, to find out whether writing works again.
        if failures > 0 { changes.facts[StoreFacts.Key.closed] = [0] }
        let error = write(changes, durably: durably)
        if error == nil {
            isInPieces = !isLast
            if isLast { store.trimLog() }
        }
        return error
    }

    /// Writes commits in one transaction. A new file takes no commit before it holds everything that the old one held,
    /// as the changes that a commit builds on may be missing.
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

    /// Replaces a file that has proved to be damaged, or was taken away.
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

    /// Notes a failed attempt.
    /// - Returns: how long to wait before the next attempt.
    func fail() -> Duration {
        failures += 1
        defer { pause = min(pause * 2, configuration.retryIntervalMax) }
        return pause
    }

    /// Notes that writing works again.
    /// - Returns: how many attempts had failed.
    func recover() -> Int {
        defer { (failures, pause) = (0, configuration.retryInterval) }
        return failures
    }

    /// Gives tests access to the store.
    func withStore<R>(_ body: (Store) throws -> R) rethrows -> R { try body(store) }
}
