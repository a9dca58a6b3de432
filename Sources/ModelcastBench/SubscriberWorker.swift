import Dispatch
import Modelcast

/// A subscriber as a process of its own, connected to all publishers of the trial.
struct SubscriberWorker: Sendable {
    let name: String
    let publishers: [String]
    let showsHost: Bool

    func run() async throws {
        let link = ParentLink<WorkerOrder, WorkerReport>()
        let subscriber = try Subscriber(
            SubscriberConfiguration(name: name, publishers: publishers), logger: Worker.logger(name))
        let lags = LatencyHistogram()
        let observation = subscriber.observe(.type(StressPlan.beatType), on: DispatchQueue(label: "lag")) { changes in
            guard !changes.isInitial else { return }
            let now = MonotonicClock.nanoseconds
            for change in changes {
                guard let sentAt = change.new?["sent_at"]?.intValue else { continue }
                lags.record(now - UInt64(sentAt))
            }
        }
        link.tell(WorkerReport(.ready))
        try await Worker.untilFirstEnds([
            { try await subscriber.run() },
            // Nothing is asked of a subscriber: it ends with its orders.
            { for await _ in link.orders {} },
            { await Worker.repeatedly { link.tell(report(subscriber, lags)) } },
        ])
        observation.cancel()
    }

    private func report(_ subscriber: Subscriber, _ lags: LatencyHistogram) -> WorkerReport {
        // The status first: what it says has been applied is then in the types and digests that follow.
        let status = subscriber.status
        var report = WorkerReport(.status)
        report.isLive = status.isLive
        report.state = worst(status.senders.map(\.state)).rawValue
        report.heads = status.streams.map {
            WorkerReport.StreamHead(origin: $0.origin, topic: $0.topic.description, sequence: $0.applied)
        }
        report.types = Worker.types(subscriber.cache)
        let counters = status.counters
        report.updates = counters[.appliedUpdates] + counters[.unchangedUpdates]
        report.batches = counters[.appliedBatches]
        report.snapshotRecords = counters[.snapshotRecords]
        report.snapshots = counters[.snapshotsRequested]
        report.holesFound = counters[.holesFound]
        report.holesFilled = counters[.holesFilled]
        report.holesMended = counters[.holesMendedBySnapshot]
        let summary = lags.summary
        if summary.count > 0 {
            report.lagMedian = UInt64(summary.median)
            report.lag99 = UInt64(summary.percentile99)
        }
        report.residentByteCount = ProcessFigures.residentByteCount
        if showsHost { report.note = HostNote.text(subscriber.snapshot()) }
        return report
    }

    private func worst(_ states: [ReplicaState]) -> ReplicaState {
        let order: [ReplicaState] = [.stale, .connecting, .syncing, .repairing, .live]
        return order.first { states.contains($0) } ?? .connecting
    }
}

/// What a subscriber sees of the host, in one line: read from its own copy, with no question to anybody.
private enum HostNote {
    static func text(_ snapshot: Snapshot) -> String? {
        guard let host = snapshot["Host", "local"], let load = host["load_1"]?.doubleValue else { return nil }
        var busiest: (name: String, id: String, percent: Double) = ("nothing", "-", 0)
        for process in snapshot.records(of: "Process") {
            guard let percent = process["cpu_percent"]?.doubleValue, percent > busiest.percent else { continue }
            busiest = (process["name"]?.textValue ?? "?", process.id, percent)
        }
        let delivered = snapshot.records(of: "Order").reduce(0) { count, order in
            order["status"] == .text("delivered") ? count + 1 : count
        }
        let orders = snapshot.count(of: "Order")
        return "load \(load), \(snapshot.count(of: "Process")) processes, busiest \(busiest.name) "
            + "(\(busiest.id), \(Int(busiest.percent)) %); \(delivered) of \(orders) orders delivered"
    }
}
