import Dispatch
import Logging
import Modelcast

/// Observes a copy as a program would, and makes reports about it.
final class CopyWatch: Sendable {
    private let cache: ModelCache
    private let lags = LatencyHistogram()
    private let beats = BeatGaps()
    private let observation: CacheObservation

    /// The age from which on an old copy is logged.
    private static let oldNanoseconds: UInt64 = 2_000_000_000

    init(_ cache: ModelCache, logger: Logger) {
        self.cache = cache
        observation = cache.observe(.type(StressPlan.beatType), on: DispatchQueue(label: "lag")) {
            [lags, beats] changes in
            guard !changes.isInitial else { return }
            let now = MonotonicClock.nanoseconds
            for change in changes {
                guard let sentAt = change.new?["sent_at"]?.intValue else { continue }
                lags.record(now - UInt64(sentAt))
                let age = beats.note(change.id, sentAt: UInt64(sentAt), now: now)
                guard age >= CopyWatch.oldNanoseconds else { continue }
                logger.warning(
                    "copy was old until now", metadata: ["model": "\(change.id)", "milliseconds": "\(age / 1_000_000)"])
            }
        }
    }

    /// The report on a copy with this status of its replica.
    ///
    /// Read the status before calling this: then the types and digests contain what the status calls applied.
    func report(_ senders: [SenderStatus], _ streams: [StreamStatus], _ counters: Counters) -> WorkerReport {
        var report = WorkerReport(.status)
        report.isLive = senders.allSatisfy { $0.state == .live }
        report.state = worst(senders.map(\.state)).rawValue
        report.heads = streams.map {
            WorkerReport.StreamHead(
                origin: $0.origin, topic: $0.topic.description, sequence: $0.applied, known: $0.head,
                state: $0.state.rawValue)
        }
        report.types = Worker.types(cache)
        report.updates = counters[.appliedUpdates] + counters[.unchangedUpdates]
        report.batches = counters[.appliedBatches]
        report.snapshotRecords = counters[.snapshotRecords]
        report.snapshots = counters[.snapshotsRequested]
        report.holesFound = counters[.holesFound]
        report.holesFilled = counters[.holesFilled]
        report.holesMended = counters[.holesMendedBySnapshot] + counters[.holesMendedByReplay]
        report.counters = Dictionary(uniqueKeysWithValues: counters.nonZero.map { ($0.name.label, $0.value) })
        let summary = lags.summary
        if summary.count > 0 {
            report.lagMedian = UInt64(summary.median)
            report.lag99 = UInt64(summary.percentile99)
        }
        report.stalenessMaxMilliseconds = beats.longestMilliseconds
        report.residentByteCount = ProcessFigures.residentByteCount
        return report
    }

    private func worst(_ states: [ReplicaState]) -> ReplicaState {
        let order: [ReplicaState] = [.stale, .connecting, .syncing, .repairing, .live]
        return order.first { states.contains($0) } ?? .connecting
    }
}

extension Worker {
    /// Carries out the orders to a process with a copy, until they end. It knows one order: to write the copy to a
    /// file.
    static func serve(_ cache: ModelCache, _ link: ParentLink<WorkerOrder, WorkerReport>) async throws {
        for await case .write(let path) in link.orders {
            try write(cache, to: path)
            link.tell(WorkerReport(.written))
        }
    }
}
