import ModelCache
public import ModelRecord
public import ModelSync
public import ModelWire

/// Origins and replicas on a network of memory, with a clock of its own: the same state machines that run behind real
/// sockets, under loss, duplication, reordering and delay that one seed decides.
///
/// ```swift
/// var simulation = try Simulation(seed: 7, origins: 2, replicas: 3, conditions: .random(using: &generator))
/// try simulation.write(origin: 0, .merge, type: "User", id: "1", fields: ["age": 30])
/// simulation.run(milliseconds: 500)
/// simulation.settle()
/// let differences = simulation.differences()
/// ```
/// Every replica listens to every origin. Not safe to share; a run uses one thread and no real time.
public struct Simulation {
    /// What decides everything.
    public let seed: UInt64
    /// May be changed while the simulation runs.
    public var conditions: NetworkConditions
    public internal(set) var origins: [Origin] = []
    public internal(set) var replicas: [Replica] = []
    /// The time, microseconds since the simulation began.
    public internal(set) var time: UInt64 = 0
    /// Everything that the replicas would have logged.
    public internal(set) var notices: [Notice] = []
    /// Messages that the network has lost.
    public internal(set) var lostCount = 0

    var generator: SeededGenerator
    var events = EventQueue<Event>()
    var links: [[Link]] = []

    /// When the wall clock stood at the beginning: any plausible instant.
    static let wallStartMilliseconds: UInt64 = 1_800_000_000_000
    /// How often every machine gets its tick.
    static let tickMicroseconds: UInt64 = 5_000

    /// One replica's two connections to one origin.
    struct Link {
        let sender: SenderID
        /// Grows with each reconnect; what was on its way before is gone.
        var epoch = 0
        /// Grows when the control connection breaks by itself.
        var controlEpoch = 0
        var subscriptions: [[UInt8]] = []
        /// When the last message in order was delivered, by direction: requests and subscriptions, replies, stream.
        var lastDelivery: (up: UInt64, down: UInt64, stream: UInt64) = (0, 0, 0)
    }

    enum Event {
        case tick
        case connected(replica: Int, origin: Int, epoch: Int)
        case subscription(replica: Int, origin: Int, epoch: Int, prefix: [UInt8], isOn: Bool)
        case request(replica: Int, origin: Int, peer: [UInt8], payload: [UInt8])
        case reply(replica: Int, origin: Int, peer: [UInt8], payload: [UInt8])
        case stream(replica: Int, origin: Int, epoch: Int, topic: [UInt8], payload: [UInt8])
    }

    /// - Throws: `NameError` never, as the names are made here; the signature is that of ``Origin``.
    public init(
        seed: UInt64, origins originCount: Int, replicas replicaCount: Int, conditions: NetworkConditions = .good,
        partitions: Partitions = .one, prefixes: [[UInt8]] = [Array("m/".utf8)], batchByteCount: Int = 512,
        chunkByteCount: Int = 512
    ) throws(NameError) {
        self.seed = seed
        self.conditions = conditions
        generator = SeededGenerator(seed: seed)
        for index in 0..<originCount {
            let configuration = OriginConfiguration(
                name: "origin-\(index)", streamEndpoint: "memory", batchByteCount: batchByteCount,
                chunkByteCount: chunkByteCount, partitions: partitions)
            origins.append(try Origin(configuration: configuration, cache: ModelCache(), now: moment))
        }
        for index in 0..<replicaCount {
            let configuration = ReplicaConfiguration(name: "replica-\(index)", prefixes: prefixes)
            let replica = Replica(configuration: configuration, cache: ModelCache(), seed: generator.next())
            links.append(origins.indices.map { _ in Link(sender: replica.addSender()) })
            replicas.append(replica)
            for origin in origins.indices { scheduleConnect(replica: index, origin: origin) }
        }
        events.add(.tick, at: 0)
    }

    /// The time as the machines see it.
    public var moment: Moment {
        Moment(
            wallMilliseconds: Simulation.wallStartMilliseconds + time / 1000,
            // A replica may look a little into the past; begin well above zero.
            uptimeMicroseconds: 1_000_000_000 + time)
    }

    /// Lets the simulated time pass.
    public mutating func run(milliseconds: UInt64) {
        let end = time + milliseconds * 1000
        while let next = events.nextTime, next <= end, let event = events.removeFirst() {
            time = max(time, next)
            handle(event)
        }
        time = end
    }

    /// Makes the network good and lets time pass until every replica is live with nothing missing.
    /// - Returns: false when that did not happen within `milliseconds` of simulated time.
    public mutating func settle(within milliseconds: UInt64 = 60_000) -> Bool {
        conditions = .good
        let end = time + milliseconds * 1000
        // Every tenth heartbeat tells all heads: by then every loss on the bad network has been noticed.
        run(milliseconds: 5_600)
        while time < end {
            if isSettled { return true }
            run(milliseconds: 100)
        }
        return isSettled
    }

    private var isSettled: Bool {
        replicas.allSatisfy { replica in
            replica.senderStatus(now: moment).allSatisfy { $0.state == .live }
                && replica.streamStatus(now: moment).allSatisfy { $0.missing == 0 && $0.applied == $0.head }
        }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .tick:
            for index in origins.indices {
                origins[index].flush()
                origins[index].tick(now: moment)
                carryOut(origin: index)
            }
            for index in replicas.indices {
                replicas[index].tick(now: moment)
                carryOut(replica: index)
            }
            events.add(.tick, at: time + Simulation.tickMicroseconds)
        case .connected(let replica, let origin, let epoch):
            guard links[replica][origin].epoch == epoch else { return }
            replicas[replica].connected(links[replica][origin].sender, now: moment)
            carryOut(replica: replica)
        case .subscription(let replica, let origin, let epoch, let prefix, let isOn):
            guard links[replica][origin].epoch == epoch else { return }
            links[replica][origin].subscriptions.removeAll { $0 == prefix }
            guard isOn else { return }
            links[replica][origin].subscriptions.append(prefix)
            origins[origin].subscribed(to: prefix, now: moment)
            carryOut(origin: origin)
        case .request(let replica, let origin, let peer, let payload):
            guard self.peer(replica, origin) == peer else { return }
            origins[origin].receive(payload.span, from: peer, now: moment)
            carryOut(origin: origin)
        case .reply(let replica, let origin, let peer, let payload):
            guard self.peer(replica, origin) == peer else { return }
            replicas[replica].receiveControl(links[replica][origin].sender, payload.span, now: moment)
            carryOut(replica: replica)
        case .stream(let replica, let origin, let epoch, let topic, let payload):
            guard links[replica][origin].epoch == epoch else { return }
            replicas[replica].receiveStream(
                links[replica][origin].sender, topic: topic.span, payload: payload.span, now: moment)
            carryOut(replica: replica)
        }
    }
}
