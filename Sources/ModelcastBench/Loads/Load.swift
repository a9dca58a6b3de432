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

    /// The same as ``write(_:)``, to the end even when the load is to stop.
    func insist(_ body: () throws(ModelcastError) -> PublishOutcome) throws(ModelcastError) {
        while try !attempt(body) {}
    }

    /// Makes a write, again and again while the publisher's outbox is full, and counts it.
    func write(_ body: () throws(ModelcastError) -> PublishOutcome) throws(ModelcastError) {
        while !isStopping, try !attempt(body) {}
    }

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
