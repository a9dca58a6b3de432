import Modelcast

/// A publisher with a load, as a process of its own.
struct PublisherWorker: Sendable {
    let name: String
    let bind: String?
    let load: any Load
    let store: String?
    let keys: WorkerKeys?

    func run() async throws {
        let link = ParentLink<WorkerOrder, WorkerReport>()
        var configuration = PublisherConfiguration(
            name: name, endpoints: try SenderEndpoints(control: bind ?? "tcp://127.0.0.1:*"))
        // An address that is not this host's own is one of a network namespace, which other machines cannot reach.
        configuration.allowsRemote = bind != nil
        configuration.security = try keys?.security()
        configuration.store = store
        if store != nil { configuration.durability = .beforeSend }
        let publisher = try Publisher(configuration, logger: Worker.logger(name))
        let gauge = LoadGauge()
        try await Worker.untilFirstEnds([
            { try await publisher.run() },
            { try await serve(publisher, gauge, link) },
            { await Worker.repeatedly { link.tell(report(.status, publisher, gauge)) } },
        ])
    }

    private func serve(
        _ publisher: Publisher, _ gauge: LoadGauge, _ link: ParentLink<WorkerOrder, WorkerReport>
    ) async throws {
        var ready = WorkerReport(.ready)
        ready.endpoint = try await publisher.boundEndpoints.control
        link.tell(ready)
        var running: Task<Void, any Error>?
        for await order in link.orders {
            switch order {
            case .begin:
                running = Task { try await Blocking.run(named: "load") { try load.run(publisher, gauge: gauge) } }
            case .quiesce:
                gauge.stop()
                try await running?.value
                link.tell(report(.rest, publisher, gauge))
            case .write(let path):
                try Worker.write(publisher.cache, to: path)
                link.tell(report(.written, publisher, gauge))
            }
        }
        gauge.stop()
        try await running?.value
    }

    private func report(_ event: WorkerReport.Event, _ publisher: Publisher, _ gauge: LoadGauge) -> WorkerReport {
        var report = WorkerReport(event)
        report.updates = gauge.published
        report.backPressured = gauge.backPressured
        report.types = Worker.types(publisher.cache)
        report.residentByteCount = ProcessFigures.residentByteCount
        return report
    }
}
