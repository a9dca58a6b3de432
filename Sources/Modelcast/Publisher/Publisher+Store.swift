public import ModelStore
import ModelSync

extension Publisher {
    /// The figures of writing to the store; nil where there is none.
    public var storeStatus: WriteBehindStatus? { store?.behind.status }

    /// Waits until everything that was written before is on disk.
    ///
    /// Calls that wait at the same time share the work.
    /// - Throws: ``ModelcastError`` with code `store` when the disk refuses, `configuration` where there is no store;
    ///   `CancellationError` when the task is cancelled.
    public func waitUntilDurable() async throws {
        guard let store else {
            throw ModelcastError(.configuration, "this publisher has no store; set one to keep what is written")
        }
        let now = clock.now()
        core.withLock { $0.noteForStore(now: now) }
        let settlement = Settlement<Void>()
        store.behind.flush { error in settlement.settle(error.map { .failure(ModelcastError($0)) } ?? .success(())) }
        try await settlement.value
    }

    /// The error of a write while the disk refuses what must be on it.
    static func refusal(_ error: StoreError) -> ModelcastError {
        ModelcastError(
            .store, "nothing can be written now, because it could not be kept: \(error.description)")
    }
}

extension PublisherCore {
    /// Notes the latest writes for the store. Does nothing where there is none.
    mutating func noteForStore(now: Moment) { keeper?.note(origin, now: now) }
}
