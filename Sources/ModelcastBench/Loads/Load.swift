import Modelcast
import Synchronization

/// A load that writes to a publisher until it is told to stop.
protocol Load: Sendable {
    /// Writes, and blocks its thread. Returns soon after ``LoadGauge/isStopping`` is set.
    func run(_ publisher: Publisher, gauge: LoadGauge) throws
}

/// The state that a running load shares with the process around it: its counts, and the order to stop.
final class LoadGauge: Sendable {
    private let publishedCount = Atomic<UInt64>(0)
    private let backPressuredCount = Atomic<UInt64>(0)
    private let stopping = Atomic<Bool>(false)

    var published: UInt64 { publishedCount.load(ordering: .relaxed) }
    var backPressured: UInt64 { backPressuredCount.load(ordering: .relaxed) }
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Asks the load to end.
    func stop() { stopping.store(true, ordering: .relaxed) }

    /// Makes a write as ``write(_:)`` does, and does not give up when the load is to stop.
    func insist(_ body: () throws(ModelcastError) -> PublishOutcome) throws(ModelcastError) {
        while try !attempt(body) {}
    }

    /// Makes a write and counts it. The write is repeated while the publisher's outbox is full, until the load is to
    /// stop.
    func write(_ body: () throws(ModelcastError) -> PublishOutcome) throws(ModelcastError) {
        while !isStopping, try !attempt(body) {}
    }

    /// Makes a write once, and counts it.
    /// - Returns: false when the outbox was full; a moment has passed then.
    private func attempt(_ body: () throws(ModelcastError) -> PublishOutcome) throws(ModelcastError) -> Bool {
        do {
            if try body() != .unchanged { publishedCount.add(1, ordering: .relaxed) }
            return true
        } catch  where error.code == .outboxFull {
            backPressuredCount.add(1, ordering: .relaxed)
            MonotonicClock.sleep(until: MonotonicClock.nanoseconds + 100_000)
            return false
        }
    }
}
