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
        let error = write([changes], durably: durably)
        if error == nil { isInPieces = !isLast }
        return error
    }

    /// Writes one transaction; a file that has proved to be damaged is replaced first.
    func write(_ changes: [StoreChanges], durably: Bool) -> StoreError? {
        do throws(StoreError) {
            if store.isCorrupt {
                let report = try store.replace()
                isInPieces = false
                onEvent(.replaced(report))
            }
            try store.write(changes, durably: durably)
            return nil
        } catch {
            return error
        }
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
