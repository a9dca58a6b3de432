import Dispatch
import Logging
import Modelcast

/// Looks at a copy as its users would, and says how it fares.
final class CopyWatch: Sendable {
    private let cache: ModelCache
    private let lags = LatencyHistogram()
    private let beats = BeatGaps()
    private let observation: CacheObservation

    /// A copy that was so much older than it ought to be is worth a line in the log.
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

    /// What is to be told of a copy whose replica says this of itself.
    ///
    /// Ask for the status before this: what it says has been applied is then in the types and digests.
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
    /// Writes the copy to a file as often as it is asked to, until the orders end: all that one can ask of a copy.
    static func serve(_ cache: ModelCache, _ link: ParentLink<WorkerOrder, WorkerReport>) async throws {
        for await case .write(let path) in link.orders {
            try write(cache, to: path)
            link.tell(WorkerReport(.written))
        }
    }
}
