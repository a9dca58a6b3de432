import ModelCache
import Modelcast
import Synchronization

/// How late the changes of a copy came, how many came at once, and how long repairs took.
final class CopyDistributions: Sendable {
    /// From the time of a write, by its publisher's clock, to that of its merge, by ours.
    let lag = HistogramSeries(bounds: PrometheusMetrics.seconds)
    let commitSize = HistogramSeries(bounds: PrometheusMetrics.amounts)
    let repairTime = HistogramSeries(bounds: PrometheusMetrics.seconds)
    private let last = Mutex<Duration?>(nil)
    /// The copy is live: what it merges is news.
    private let isLive = Atomic<Bool>(false)

    /// Takes note of whether the copy is live.
    func note(isLive: Bool) { self.isLive.store(isLive, ordering: .relaxed) }

    /// Takes note of a commit that came at a time, in milliseconds since 1970.
    ///
    /// The lag of a commit is that of its last change. What a copy that joins is told is old, and no lag; what leaves a
    /// copy for its limits was not written at all.
    func note(_ set: ChangeSet, at time: UInt64) {
        guard set.last?.reason != .evicted else { return }
        commitSize.record(Int64(set.count))
        guard isLive.load(ordering: .relaxed), let stamp = set.last?.version.stamp else { return }
        let milliseconds = stamp >> 16 < time ? Int64(clamping: time - (stamp >> 16)) : 0
        lag.record(Double(milliseconds) / 1000)
        last.withLock { $0 = .milliseconds(milliseconds) }
    }

    /// Takes note of a repair that has ended.
    func note(repair: Duration) { repairTime.record(repair.seconds) }

    /// The lag of the last commit; nil where none has come.
    var lastLag: Duration? { last.withLock { $0 } }
}
