import Dispatch
import ModelWire
import Modelcast

/// Orders about slow subscribers and observers.
extension BenchSubscriber {
    /// Waits until the subscriber is live and has applied everything up to a sequence of the models' topic.
    func applied(_ sequence: UInt64) async throws -> UInt64 {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            let status = subscriber.status
            let stream = status.streams.first { $0.topic.type == Workload.type }
            if status.isLive, let stream, stream.applied >= sequence { return MonotonicClock.nanoseconds }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw BenchError("sequence \(sequence) was not applied within 120 s")
    }

    /// Observes all models; the observer falls asleep at the first change.
    func observeAsleep() async throws -> BenchReply {
        let observer = SleepingObserver()
        sleeper = observer
        observer.begin(
            subscriber.observe(.type(Workload.type), on: DispatchQueue(label: "bench-sleeper")) { observer.take($0) })
        let (models, deadline) = (plan.models, ContinuousClock.now + .seconds(20))
        while observer.toldCount < models {
            guard ContinuousClock.now < deadline else { throw BenchError("the initial state was not told within 20 s") }
            try await Task.sleep(for: .milliseconds(5))
        }
        observer.note(ProcessFigures.residentByteCount)
        return .asleep
    }

    /// Wakes the observer, and waits until it has been told everything that waited.
    func wakeObserver() async throws -> BenchReply.Woken {
        guard let observer = sleeper else { throw BenchError("nothing is observed") }
        sleeper = nil
        let grown = Int(ProcessFigures.residentByteCount) - Int(observer.residentByteCount)
        observer.wake()
        let cache = subscriber.cache
        let deadline = ContinuousClock.now + .seconds(20)
        while !observer.holdsAll(of: cache), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        defer { observer.end() }
        return BenchReply.Woken(
            changes: observer.changeCount, folded: observer.foldedCount, isComplete: observer.holdsAll(of: cache),
            grownByteCount: grown)
    }
}
