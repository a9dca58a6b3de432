import ModelCache
import Modelcast
import Synchronization

/// What a gateway keeps while it runs.
final class GatewayState: Sendable {
    let configuration: ModelGateway
    let cache: ModelCache
    let feeds: FeedTable
    let shared: SharedChanges.Table
    /// Stands in the ids of events: positions of another run mean nothing.
    let epoch: String
    private let history = Mutex(Kept())
    private let ready = Atomic<Bool>(false)

    private struct Kept {
        var history: ChangeHistory?
        var idleSeconds = 0
    }

    /// After how many seconds without a stream the history is let go.
    private static let idleSecondsMax = 60

    init(_ configuration: ModelGateway) {
        self.configuration = configuration
        cache = configuration.subject.cache
        feeds = FeedTable(countMax: configuration.streamCountMax)
        epoch = String(UInt64.random(in: 1...UInt64.max), radix: 36)
        shared = SharedChanges.Table(epoch: epoch)
    }

    /// The copy may be relied on, as of the last second.
    var isReady: Bool { ready.load(ordering: .relaxed) }

    /// The history, which begins now where there is none.
    func keptHistory() -> ChangeHistory {
        history.withLock { kept in
            kept.idleSeconds = 0
            if let history = kept.history { return history }
            let history = ChangeHistory(of: cache, byteCountMax: configuration.historyByteCount)
            kept.history = history
            return history
        }
    }

    /// Looks at the time. Once a second.
    func tick(isReady: Bool) {
        ready.store(isReady, ordering: .relaxed)
        feeds.tick()
        let left = history.withLock { kept -> ChangeHistory? in
            kept.idleSeconds = feeds.count > 0 ? 0 : kept.idleSeconds + 1
            guard kept.idleSeconds >= GatewayState.idleSecondsMax else { return nil }
            defer { kept.history = nil }
            return kept.history
        }
        // Released outside of the lock.
        withExtendedLifetime(left) {}
    }
}
