import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// An origin and a replica of it in one process, without sockets and without a clock, so that every run does the same
/// work.
struct CountedPair {
    var origin: Origin
    let replica: Replica
    let sender: SenderID
    private var updates: UInt64 = 0

    init() throws {
        let start = Moment(wallMilliseconds: CountedPair.wallMilliseconds, uptimeMicroseconds: 1)
        origin = try Origin(
            configuration: OriginConfiguration(name: "bench", streamEndpoint: "memory"), cache: ModelCache(), now: start
        )
        replica = Replica(
            configuration: ReplicaConfiguration(name: "bench-subscriber"), cache: ModelCache(), now: start, seed: 1)
        sender = replica.addSender()
    }

    private static let wallMilliseconds: UInt64 = 1_800_000_000_000

    /// The present time, which passes with the updates: a second for a million.
    var now: Moment {
        Moment(wallMilliseconds: CountedPair.wallMilliseconds + updates / 1000, uptimeMicroseconds: 1_000_000 + updates)
    }

    mutating func passTime(_ count: Int) { updates += UInt64(count) }

    /// Connects the two, until the replica holds what the origin holds.
    /// - Throws: ``BenchError`` when it does not come to that.
    mutating func connect() throws {
        replica.connected(sender, now: now)
        while replica.hasActions || origin.hasActions {
            for action in replica.takeActions() {
                switch action {
                case .request(_, let payload): origin.receive(payload.span, from: [1], now: now)
                case .subscribe(_, let prefix): origin.subscribed(to: prefix, now: now)
                case .connectStream, .unsubscribe, .notice, .forward, .fetched: break
                case .reconnect: throw BenchError("the replica gave its sender up")
                }
            }
            for action in origin.takeActions() {
                switch action {
                case .publish(let topic, let payload):
                    replica.receiveStream(sender, topic: topic.bytes.span, payload: payload.span, now: now)
                case .reply(_, let payload): replica.receiveControl(sender, payload.span, now: now)
                case .notice: break
                }
            }
        }
        guard replica.state(of: sender) == .live else { throw BenchError("the replica did not become live") }
        try requireEqual()
    }

    /// Compares the copies.
    /// - Throws: ``BenchError`` when the replica does not hold what the origin holds.
    func requireEqual() throws {
        let expected = origin.cache.digest(of: Workload.type)
        let digest = replica.cache.digest(of: Workload.type)
        guard digest == expected, replica.cache.count(of: Workload.type) == origin.cache.count(of: Workload.type)
        else {
            throw BenchError(
                "the digests differ: origin \(Digests.text(expected)), replica \(Digests.text(digest)); "
                    + "no count counts")
        }
    }
}
