import ModelCache
import Modelcast
import Synchronization

/// The state of a gateway while it runs.
final class GatewayState: Sendable {
    let configuration: ModelGateway
    let cache: ModelCache
    let feeds: FeedTable
    let shared: SharedChanges.Table
    let scans = ScanQueue()
    /// The requests that wait for a write, and those whose body is on its way. Each holds a connection.
    let waiting = PlaceCount(max: 64)
    /// Positions of another run mean nothing.
    private let run = String(UInt32.random(in: 1...UInt32.max), radix: 36)
    private let history = Mutex<ChangeHistory?>(nil)
    private let ready = Atomic<Bool>(false)
    private let everReady = Atomic<Bool>(false)

    init(_ configuration: ModelGateway) {
        self.configuration = configuration
        cache = configuration.subject.cache
        feeds = FeedTable(countMax: configuration.streamCountMax)
        shared = SharedChanges.Table()
        // A copy of a store was complete once, and says with /readyz that it may be old.
        everReady.store(!cache.types.isEmpty, ordering: .relaxed)
    }

    /// The copy may be relied on, as of the last second.
    var isReady: Bool { ready.load(ordering: .relaxed) }

    /// The copy has been complete once; before that nobody can tell what is not there from what has not come.
    var hasBeenReady: Bool { everReady.load(ordering: .relaxed) }

    /// Stands in the ids of the events that a query is told: of this run, and of what is asked for, by whom.
    func epoch(of query: ModelQuery) -> String { run + String(UInt(bitPattern: query.hashValue), radix: 36) }

    /// The last changes; nil where none are kept.
    var keptHistory: ChangeHistory? { history.withLock { $0 } }

    /// Keeps the changes from now on.
    func begin(_ distributions: CopyDistributions) {
        guard configuration.historyByteCount > 0 else { return }
        let made = ChangeHistory(of: cache, byteCountMax: configuration.historyByteCount, distributions)
        // A copy that was read from a store is complete: what comes is news to it.
        if hasBeenReady { made.begin() }
        history.withLock { $0 = made }
    }

    /// Ends every stream, and lets the changes go.
    func end() {
        feeds.end()
        let left = history.withLock { history in
            defer { history = nil }
            return history
        }
        // Released outside of the lock.
        withExtendedLifetime(left) {}
    }

    /// Takes note of whether the copy may be relied on.
    func note(isReady: Bool) {
        ready.store(isReady, ordering: .relaxed)
        guard isReady else { return }
        everReady.store(true, ordering: .relaxed)
        keptHistory?.begin()
    }

    /// Looks at the time. Once a second.
    func tick(isReady: Bool) {
        note(isReady: isReady)
        feeds.tick()
    }
}
