import Dispatch
import ModelCache
import ModelRecord

/// Records on their way from a store into a cache: they are joined on a thread of their own while more are read.
struct RecordLoader: ~Copyable {
    private let cache: ModelCache
    private let queue = DispatchQueue(label: "modelcast-load")
    private let room = DispatchSemaphore(value: RecordLoader.chunkCountMax)
    /// By type.
    private var waiting: [String: [Record]] = [:]
    private var waitingCount = 0

    /// How many records are joined in one commit.
    private static let chunk = 4096
    /// How many chunks may wait to be joined.
    private static let chunkCountMax = 4

    init(into cache: ModelCache) { self.cache = cache }

    /// Waits while too much waits to be joined.
    mutating func add(_ record: Record, type: String) {
        waiting[type, default: []].append(record)
        waitingCount += 1
        if waitingCount == RecordLoader.chunk { handOver() }
    }

    /// Returns when everything is in the cache.
    mutating func finish() {
        handOver()
        queue.sync {}
    }

    private mutating func handOver() {
        guard waitingCount > 0 else { return }
        room.wait()
        queue.async { [cache, room, waiting] in
            cache.commit { commit in
                for (type, records) in waiting { commit.join(records, type: type) }
            }
            room.signal()
        }
        waiting = [:]
        waitingCount = 0
    }
}
