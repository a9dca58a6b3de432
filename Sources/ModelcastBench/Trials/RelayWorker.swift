import Modelcast

/// A relay as a process of its own.
struct RelayWorker: Sendable {
    let name: String
    let bind: String?
    let publishers: [String]
    let store: String?
    let keys: WorkerKeys?

    func run() async throws {
        let link = ParentLink<WorkerOrder, WorkerReport>()
        var configuration = RelayConfiguration(
            name: name, endpoints: try SenderEndpoints(control: bind ?? "tcp://127.0.0.1:*"), publishers: publishers)
        // An address that is not this host's own is one of a network namespace, which other machines cannot reach.
        configuration.allowsRemote = bind != nil
        configuration.security = try keys?.security()
        configuration.store = store
        let relay = try Relay(configuration, logger: Worker.logger(name))
        let watch = CopyWatch(relay.cache, logger: Worker.logger(name))
        try await Worker.untilFirstEnds([
            { try await relay.run() },
            {
                var ready = WorkerReport(.ready)
                ready.endpoint = try await relay.boundEndpoints.control
                link.tell(ready)
                try await Worker.serve(relay.cache, link)
            },
            { await Worker.repeatedly { link.tell(report(relay, watch)) } },
        ])
    }

    private func report(_ relay: Relay, _ watch: CopyWatch) -> WorkerReport {
        let status = relay.status
        var counters = status.replicaCounters
        for (name, value) in status.counters.nonZero where counters[name] == 0 { counters[name] = value }
        return watch.report(status.senders, status.streams, counters)
    }
}
