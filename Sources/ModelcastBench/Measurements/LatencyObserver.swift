import Modelcast
import Synchronization

/// Measures latencies from the times that updates carry until the observer is called.
final class LatencyObserver: Sendable {
    private let models: Int
    private let fromIntended = LatencyHistogram()
    private let fromCall = LatencyHistogram()
    private let initial = Atomic<Int>(0)
    private let folded = Atomic<Int>(0)
    private let observation = Mutex<CacheObservation?>(nil)

    init(models: Int) { self.models = models }

    var isPastInitial: Bool { initial.load(ordering: .relaxed) >= models }

    func begin(_ observation: CacheObservation) { self.observation.withLock { $0 = observation } }

    func end() { observation.withLock { $0.take() }?.cancel() }

    func take(_ changes: ChangeSet) {
        if changes.isInitial {
            initial.add(changes.count, ordering: .relaxed)
            return
        }
        let now = MonotonicClock.nanoseconds
        for change in changes {
            if change.isFolded { folded.add(1, ordering: .relaxed) }
            guard let record = change.new, let due = record["due_at"]?.intValue, let sent = record["sent_at"]?.intValue
            else { continue }
            fromIntended.record(now &- UInt64(due))
            fromCall.record(now &- UInt64(sent))
        }
    }

    var figures: BenchReply.Latency {
        BenchReply.Latency(
            fromIntended: fromIntended.recording, fromCall: fromCall.recording,
            folded: folded.load(ordering: .relaxed))
    }
}
