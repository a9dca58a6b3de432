import Foundation
import ModelWire
import Modelcast

/// A subscriber that is stopped (SIGSTOP) under load, with another beside it.
extension Measurement {
    func measureRecovery() async throws -> BenchPart {
        let plan = plan.stopping
        tell("\(Figures.grouped(plan.stopRate)) updates a second, then one of two subscribers is stopped")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        let (other, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
        let (stopped, _) = try await start("bench subscriber to be stopped", .subscriber(plan, endpoint: endpoint))
        for subscriber in [other, stopped] { _ = try await joined(subscriber, models: plan.models) }
        var recovery = Recovery()
        recovery.queueByteCount = plan.stopQueueMebibytes << 20
        // The load fills the replay ring, so that the ring does not count as growth later.
        _ = try await load(publisher, seconds: plan.stopSeconds / 2)
        try await measureBefore(publisher, &recovery)
        let before = (other: try await state(other), stopped: try await state(stopped))
        try await measureStop(publisher, stopped, &recovery)
        let end = MonotonicClock.nanoseconds
        recovery.otherLagSeconds = Double(try await applied(by: other, endpoint) - end) / 1e9
        stopped.signal(SIGCONT)
        let start = MonotonicClock.nanoseconds
        publisher.tell(steadily(seconds: plan.stopSeconds / 2))
        recovery.seconds = Double(try await applied(by: stopped, endpoint) - start) / 1e9
        guard case .steady = try await publisher.next(within: .seconds(plan.stopSeconds + 60)) else {
            throw unexpected(publisher.name)
        }
        try await requireEqual(publisher, stopped, after: "the stop")
        try await requireEqual(publisher, other, after: "the stop of the other")
        let after = (other: try await state(other), stopped: try await state(stopped))
        recovery.otherHoles = after.other.holesFound - before.other.holesFound
        recovery.counters = after.stopped.counters
        for (name, value) in before.stopped.counters { recovery.counters[name, default: value] -= value }
        recovery.counters = recovery.counters.filter { $0.value > 0 }
        var part = BenchPart(.recovery)
        part.figures = recovery.figures(plan)
        return part
    }

    /// Measures the same load without a stop.
    private func measureBefore(_ publisher: Process, _ recovery: inout Recovery) async throws {
        let window = plan.stopSeconds / 2
        let before = try await state(publisher)
        let steady = try await load(publisher, seconds: window)
        let after = try await state(publisher)
        recovery.publishedPerSecondBefore = Double(steady.count) / steady.seconds
        recovery.latestMillisecondsBefore = steady.latestMilliseconds
        recovery.publisherNanosecondsBefore =
            (after.processorSeconds - before.processorSeconds) * 1e9 / Double(steady.count)
    }

    /// Stops the subscriber for the length of the load, and watches the publisher's memory meanwhile.
    private func measureStop(
        _ publisher: Process, _ stopped: Process, _ recovery: inout Recovery
    ) async throws {
        let before = try await state(publisher)
        let process = publisher.processIdentifier
        let residentBefore = ProcessFigures.residentByteCount(of: process)
        var residentMost = residentBefore
        let wireBefore = ProcessFigures.loopbackByteCount ?? 0
        stopped.signal(SIGSTOP)
        publisher.tell(steadily(seconds: plan.stopSeconds))
        let end = ContinuousClock.now + .seconds(plan.stopSeconds)
        while ContinuousClock.now < end {
            residentMost = max(residentMost, ProcessFigures.residentByteCount(of: process))
            try await Task.sleep(for: .milliseconds(20))
        }
        guard case .steady(let steady) = try await publisher.next(within: .seconds(60)) else {
            throw unexpected(publisher.name)
        }
        let after = try await state(publisher)
        recovery.publisherGrownByteCount = Int(residentMost - residentBefore)
        recovery.sentByteCount = Int((ProcessFigures.loopbackByteCount ?? 0) &- wireBefore)
        recovery.publishedPerSecond = Double(steady.count) / steady.seconds
        recovery.latestMilliseconds = steady.latestMilliseconds
        recovery.backPressured = steady.backPressured
        recovery.publisherNanoseconds = (after.processorSeconds - before.processorSeconds) * 1e9 / Double(steady.count)
    }

    /// Waits until a subscriber is live and holds all that the publisher has sent by now.
    /// - Returns: the time at which it does.
    private func applied(by subscriber: Process, _ endpoint: String) async throws -> UInt64 {
        let heads = try await ControlClient(endpoint: endpoint, timeout: .seconds(20)).welcome().heads
        let head = heads.flatMap(\.heads).first { $0.topic.type == Workload.type }
        guard let head else { throw BenchError("the publisher tells no head of its models") }
        let order = BenchOrder.awaitApplied(sequence: head.sequence)
        guard case .applied(let time) = try await subscriber.ask(order, within: .seconds(150)) else {
            throw unexpected(subscriber.name)
        }
        return time
    }

    private func load(_ publisher: Process, seconds: Double) async throws -> BenchReply.Steady {
        let reply = try await publisher.ask(steadily(seconds: seconds), within: .seconds(seconds + 60))
        guard case .steady(let steady) = reply else { throw unexpected(publisher.name) }
        return steady
    }

    private func steadily(seconds: Double) -> BenchOrder {
        .publishSteadily(rate: plan.stopRate, seconds: seconds, textBytes: plan.stopTextBytes)
    }
}
