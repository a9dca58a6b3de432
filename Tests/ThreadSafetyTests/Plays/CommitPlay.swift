import ModelCache
import TestSupport

/// A cache, those who commit to it, those who take snapshots, and those who observe.
struct CommitPlay {
    let shared = CommitClient.Shared()
    let gate = Gate()
    let committers: [CommitClient]
    let readers: [SnapshotClient]
    let audience: ObserverClient
    let views: ViewClient

    init(seed: UInt64, watcherMax: Int) {
        let shared = shared
        committers = (0..<5).map { CommitClient($0, seed: seed, shared) }
        readers = (5..<7).map { SnapshotClient($0, seed: seed, shared.cache) }
        audience = ObserverClient(7, seed: seed, shared.cache, gate: gate, watcherMax: watcherMax)
        views = ViewClient(8, seed: seed, shared.cache)
    }

    /// All of them.
    var clients: [any StressClient] { committers + readers + [audience, views] }

    /// Waits until everybody has been told everything, and holds it against the log.
    /// - Returns: the number of commits, snapshots and sets told.
    func end() async throws -> Int {
        for fault in committers.flatMap(\.faults) + readers.flatMap(\.faults) { throw CaseFailure(fault) }
        let log = try CommitLog(committers.flatMap(\.commits))
        let cache = shared.cache
        guard cache.snapshot().commitNumber == log.end else {
            throw CaseFailure("the cache counts \(cache.snapshot().commitNumber) commits, the log \(log.end)")
        }
        let last = SeenSnapshot(commitNumber: log.end, models: SnapshotClient.models(of: cache.snapshot()))
        try log.check(readers.flatMap(\.seen) + [last])
        let told = try await endObservers(log)
        try await views.end()
        return log.changes.count + readers.reduce(0) { $0 + $1.seen.count } + told
    }

    private func endObservers(_ log: CommitLog) async throws -> Int {
        var count = 0
        for watcher in audience.watchers {
            let isComplete = await isToldAll(
                log, watcher.interest, watcher.registration, { watcher.told.last }, { watcher.isEnded })
            watcher.endElsewhere()
            let told = watcher.told
            count += told.count
            if let fault = watcher.faults.first { throw CaseFailure(fault) }
            try log.check(told, watcher.interest, isComplete: isComplete)
        }
        for listener in audience.listeners {
            let isComplete = await isToldAll(
                log, listener.interest, listener.registration, { listener.told.last }, { listener.isEnded })
            listener.cancel()
            await listener.waitForEnd()
            let told = listener.told
            count += told.count
            try log.check(told, listener.interest, isComplete: isComplete)
        }
        let witnesses = audience.witnesses
        guard await eventually({ witnesses.allSatisfy(\.isGone) }) else {
            throw CaseFailure("\(witnesses.count { !$0.isGone }) of \(witnesses.count) handlers are still held")
        }
        return count
    }

    /// Waits for the last that is of interest.
    /// - Returns: false where the observer was ended, perhaps before it was told all, or need not have been told.
    private func isToldAll(
        _ log: CommitLog, _ interest: Interest, _ registration: ClosedRange<UInt64>, _ last: () -> ToldSet?,
        _ isEnded: () -> Bool
    ) async -> Bool {
        let end = log.changes.lastIndex { $0.keys.contains { interest.includes($0) } }.map { UInt64($0 + 1) } ?? 0
        // Also one that came later is told what is there.
        if end > registration.upperBound || !log.state(after: end, { interest.includes($0) }).isEmpty {
            _ = await eventually { isEnded() || (last()?.commitNumber ?? 0) >= end }
        } else if end > registration.lowerBound {
            // The last model went while the observer came: before, and it is told nothing, or after.
            return false
        }
        return !isEnded()
    }
}
