import Modelcast
import Synchronization

/// Something that writes to a publisher until it is told to stop.
protocol Load: Sendable {
    /// Blocks its thread; returns soon after ``LoadGauge/isStopping`` is set.
    func run(_ publisher: Publisher, gauge: LoadGauge) throws
}

/// What a running load and the process around it share.
final class LoadGauge: Sendable {
    private let publishedCount = Atomic<UInt64>(0)
    private let backPressuredCount = Atomic<UInt64>(0)
    private let stopping = Atomic<Bool>(false)

    var published: UInt64 { publishedCount.load(ordering: .relaxed) }
    var backPressured: UInt64 { backPressuredCount.load(ordering: .relaxed) }
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Asks the load to end.
    func stop() { stopping.store(true, ordering: .relaxed) }

    /// Makes a write, again and again while the publisher's outbox is full, and counts it.
    func write(_ body: () throws(ModelcastError) -> PublishOutcome) throws(ModelcastError) {
        while !isStopping {
            switch try body() {
            case .published:
                publishedCount.add(1, ordering: .relaxed)
                return
            case .unchanged: return
            case .backPressured:
                backPressuredCount.add(1, ordering: .relaxed)
                MonotonicClock.sleep(until: MonotonicClock.nanoseconds + 100_000)
            }
        }
    }
}
