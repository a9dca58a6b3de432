import ArgumentParser
import ModelcastBench

/// Where `modelcast bench` finds Redis and NATS, to measure them beside Modelcast; `Scripts/bench-peers` gives these
/// options.
struct BenchPeerOptions: ParsableArguments {
    @Option(
        name: .customLong("peer-drivers"),
        help: ArgumentHelp("The programs that drive Redis and NATS, for the scenario peers.", valueName: "folder"))
    var drivers: String?

    @Option(name: .customLong("redis-port"), help: "The port of 127.0.0.1 at which an empty Redis listens.")
    var redisPort: Int?

    @Option(name: .customLong("nats-port"), help: "The port of 127.0.0.1 at which a NATS with JetStream listens.")
    var natsPort: Int?

    @Option(name: .customLong("peer-updates"), help: "Updates in each round of Redis and of NATS.")
    var updates = 500_000

    func validate() throws {
        guard let peers else {
            guard redisPort == nil, natsPort == nil else {
                throw ValidationError("--redis-port and --nats-port go with --peer-drivers.")
            }
            return
        }
        guard (1...1_000_000_000).contains(updates),
            [redisPort, natsPort].allSatisfy({ $0.map((1...65_535).contains) ?? true })
        else { throw ValidationError("Ports are 1 to 65535, --peer-updates 1 to 1000000000.") }
        do {
            try peers.check()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The peers to measure; nil where no drivers were named.
    var peers: BenchPeers? {
        guard let drivers else { return nil }
        var peers = BenchPeers(drivers: drivers, redisPort: redisPort, natsPort: natsPort)
        peers.updates = updates
        return peers
    }
}
