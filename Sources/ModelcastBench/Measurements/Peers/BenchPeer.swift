/// Another system that tells one process what another has changed, and how it is driven.
struct BenchPeer: Sendable {
    /// The name in the table.
    let name: String
    /// The note below the table that says what is measured.
    let description: String
    let program: String
    let arguments: [String]
    let port: Int
    /// Whether an update may be replaced by a newer one of the same model before it arrives. The driver compares the
    /// copies; where nothing may be replaced, every update must have arrived.
    let mayReplace: Bool
    /// The bound of Modelcast's rate divided by that of this peer; nil for none.
    let mark: BenchFigure.Mark?

    /// The peers whose server has a port.
    static func all(of peers: BenchPeers) -> [BenchPeer] {
        (peers.redisPort.map(redis) ?? []) + (peers.natsPort.map(nats) ?? [])
    }

    private static func redis(at port: Int) -> [BenchPeer] {
        [
            BenchPeer(
                name: "Redis publish", description: "PUBLISH of 100 bytes to a subscriber, pipelined; nothing is kept",
                program: "redis-peer", arguments: ["publish"], port: port, mayReplace: false, mark: nil),
            BenchPeer(
                name: "Redis hash and tracking",
                description: "HSET of two fields, pipelined; a client with a copy is told which keys are invalid and "
                    + "fetches those hashes again; in memory",
                program: "redis-peer", arguments: ["hash"], port: port, mayReplace: true, mark: nil),
        ]
    }

    private static func nats(at port: Int) -> [BenchPeer] {
        [("file", "in files"), ("memory", "in memory")].map { storage, place in
            BenchPeer(
                name: "NATS JetStream key-value, \(place)",
                description: "Asynchronous puts of 100 bytes, all acknowledged, to a bucket with a history of one "
                    + "\(place); a watcher in another process",
                program: "nats-peer", arguments: ["keyvalue", "--storage", storage], port: port, mayReplace: true,
                mark: .atLeast(10))
        }
    }
}
