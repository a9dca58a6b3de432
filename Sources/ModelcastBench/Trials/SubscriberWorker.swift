import ModelCache
import Modelcast

/// A subscriber as a process of its own, connected to all publishers of the trial.
struct SubscriberWorker: Sendable {
    let name: String
    let publishers: [String]
    let showsHost: Bool
    /// Nil where it serves no inspector.
    let inspection: Worker.Inspection?
    let store: String?
    let keys: WorkerKeys?

    func run() async throws {
        let link = ParentLink<WorkerOrder, WorkerReport>()
        var configuration = SubscriberConfiguration(name: name, publishers: publishers)
        configuration.security = try keys?.security()
        configuration.store = store
        let subscriber = try Subscriber(configuration, logger: Worker.logger(name))
        let watch = CopyWatch(subscriber.cache, logger: Worker.logger(name))
        link.tell(WorkerReport(.ready))
        let inspector = Guarded<String?>(nil)
        var bodies: [@Sendable () async throws -> Void] = [
            { try await subscriber.run() },
            { try await Worker.serve(subscriber.cache, link) },
            { await Worker.repeatedly { link.tell(report(subscriber, watch, inspector.withLock { $0 })) } },
        ]
        if let inspection {
            bodies.append {
                try await inspection(subscriber) { address in inspector.withLock { $0 = address } }
            }
        }
        try await Worker.untilFirstEnds(bodies)
    }

    private func report(_ subscriber: Subscriber, _ watch: CopyWatch, _ inspector: String?) -> WorkerReport {
        let status = subscriber.status
        var report = watch.report(status.senders, status.streams, status.counters)
        report.inspector = inspector
        if showsHost { report.note = HostNote.text(subscriber.snapshot()) }
        return report
    }
}

/// A line about the host, which a subscriber reads from its own copy without asking another process.
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
