@_spi(CacheWriting) import ModelCache
import ModelGrants
import ModelRecord
import ModelSync
import ModelWire

/// Origins, relays and replicas on a network of memory that one seed decides, wired as a test likes.
struct RelayNetwork {
    enum Server: Hashable {
        case origin(Int)
        case relay(Int)
    }

    enum Listener: Hashable {
        case relay(Int)
        case replica(Int)
    }

    struct Link {
        let listener: Listener
        let server: Server
        var sender: SenderID
        var epoch: UInt8 = 0
        var subscriptions: [[UInt8]] = []
        var last: (up: UInt64, down: UInt64, stream: UInt64) = (0, 0, 0)
    }

    private enum Event {
        case connected
        case subscription([UInt8], isOn: Bool)
        case request([UInt8])
        case reply([UInt8])
        case stream([UInt8], [UInt8])
    }

    var origins: [Origin] = []
    var relays: [RelayMachine] = []
    var replicas: [Replica] = []
    var links: [Link] = []
    var notices: [Notice] = []
    /// What a relay has asked to be made durable.
    var persists: [UInt64] = []
    /// What servers have sent to peers that are no link, by identity: a test speaks to a server itself.
    var replies: [(peer: [UInt8], reply: ControlReply)] = []
    /// Servers that neither hear nor answer.
    var dead: Set<Server> = []
    /// Replicas whose processes are stopped: what arrives for them waits.
    var stopped: Set<Int> = [] {
        didSet {
            for (link, event) in waiting { add(event, link, at: time) }
            waiting = []
        }
    }
    private var waiting: [(link: Int, event: Event)] = []
    /// What each relay has sent on its stream: batches only.
    var sent: [Int: [[UInt8]]] = [:]
    var lossPerMille = 0
    /// Whether a message of a stream does not come through on a link.
    var loses: (_ link: Int, _ payload: [UInt8]) -> Bool = { _, _ in false }
    var duplicationPerMille = 0
    /// How many microseconds an answer takes more than a batch.
    var answerDelay: UInt64 = 0
    var lostCount = 0
    var time: UInt64 = 0
    /// How far all wall clocks have been set back.
    var setBackMilliseconds: UInt64 = 0
    private var generator: SeededGenerator
    private var queue: [(at: UInt64, link: Int, epoch: UInt8, event: Event)] = []
    private var nextTick: UInt64 = 0

    init(seed: UInt64 = 1) { generator = SeededGenerator(seed: seed) }

    /// How far the clocks of some origins are ahead of all others.
    var leadMilliseconds: [Int: Int64] = [:]

    /// An origin, a relay of it, and a replica of the relay.
    static func chain() throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay")
        network.addReplica()
        network.connect(.relay(0), to: .origin(0))
        network.connect(.replica(0), to: .relay(0))
        return network
    }

    private func moment(of origin: Int) -> Moment {
        var moment = now
        let wall = Int64(moment.wallMilliseconds) + (leadMilliseconds[origin] ?? 0)
        moment.wallMilliseconds = UInt64(wall)
        return moment
    }

    var now: Moment {
        Moment(
            wallMilliseconds: 1_800_000_000_000 + time / 1000 - setBackMilliseconds,
            uptimeMicroseconds: 1_000_000_000 + time)
    }

    mutating func addOrigin(_ name: String, configure: (inout OriginConfiguration) -> Void = { _ in }) throws {
        var configuration = OriginConfiguration(
            name: name, streamEndpoint: "memory", batchByteCount: 512, chunkByteCount: 512)
        configure(&configuration)
        origins.append(try Origin(configuration: configuration, cache: ModelCache(), now: now))
    }

    mutating func makeRelay(
        _ name: String, cache: ModelCache = ModelCache(),
        configure: (inout RelayMachineConfiguration) -> Void = { _ in }
    ) throws -> RelayMachine {
        var configuration = RelayMachineConfiguration(name: name, streamEndpoint: "memory", chunkByteCount: 512)
        configure(&configuration)
        return try RelayMachine(configuration: configuration, cache: cache, now: now, seed: generator.next())
    }

    mutating func addRelay(
        _ name: String, cache: ModelCache = ModelCache(),
        configure: (inout RelayMachineConfiguration) -> Void = { _ in }
    ) throws {
        relays.append(try makeRelay(name, cache: cache, configure: configure))
    }

    mutating func addReplica() {
        replicas.append(
            Replica(
                configuration: ReplicaConfiguration(name: "replica-\(replicas.count)"), cache: ModelCache(),
                now: now, seed: generator.next()))
    }

    mutating func connect(_ listener: Listener, to server: Server) {
        let sender =
            switch listener {
            case .relay(let index): relays[index].addSender()
            case .replica(let index): replicas[index].addSender()
            }
        links.append(Link(listener: listener, server: server, sender: sender))
        add(.connected, links.count - 1, at: time + delay())
    }

    /// A relay starts anew with nothing, at the same place.
    mutating func restartRelay(_ index: Int) throws {
        relays[index] = try makeRelay(relays[index].configuration.name)
        dead.remove(.relay(index))
        for link in links.indices {
            if links[link].listener == .relay(index) {
                links[link].sender = relays[index].addSender()
                reconnect(link)
            }
            // The runtime of whoever was connected to it sees the connection break.
            guard links[link].server == .relay(index) else { continue }
            switch links[link].listener {
            case .relay(let other): relays[other].disconnected(links[link].sender, reason: "reset", now: now)
            case .replica(let other): replicas[other].disconnected(links[link].sender, reason: "reset", now: now)
            }
        }
        carryOutAll()
    }

    /// An origin starts anew: with what a store holds of it, or with nothing.
    mutating func restartOrigin(_ index: Int, with cache: ModelCache = ModelCache()) throws {
        origins[index] = try Origin(
            configuration: origins[index].configuration, cache: cache, now: moment(of: index),
            after: moment(of: index).wallMilliseconds << 16 | 0xFFFF)
        dead.remove(.origin(index))
        for link in links where link.server == .origin(index) {
            switch link.listener {
            case .relay(let other): relays[other].disconnected(link.sender, reason: "reset", now: now)
            case .replica(let other): replicas[other].disconnected(link.sender, reason: "reset", now: now)
            }
        }
        carryOutAll()
    }

    @discardableResult
    mutating func write(
        _ origin: Int, _ id: String, _ fields: Fields = [:], type: String = "User", as write: Write = .merge
    ) throws -> PublishOutcome {
        try origins[origin].write(
            write, type: type, id: id, fields: try EncodedFields(fields), now: moment(of: origin))
    }

    mutating func run(milliseconds: UInt64) {
        let end = time + milliseconds * 1000
        while true {
            let next = queue.indices.min { queue[$0].at < queue[$1].at }
            let due = next.map { queue[$0].at } ?? .max
            guard min(due, nextTick) <= end else { break }
            if let next, due <= nextTick {
                let item = queue.remove(at: next)
                time = max(time, item.at)
                if links[item.link].epoch == item.epoch { handle(item.event, item.link) }
            } else {
                time = max(time, nextTick)
                nextTick = time + 5_000
                tick()
            }
        }
        time = end
    }

    /// Makes the network good and lets time pass until everybody holds what was published.
    mutating func settle(within milliseconds: UInt64 = 60_000) -> Bool {
        (lossPerMille, duplicationPerMille) = (0, 0)
        for _ in 0..<(milliseconds / 500) {
            run(milliseconds: 500)
            if differences.isEmpty, isLive { return true }
        }
        return false
    }

    var isLive: Bool {
        replicas.allSatisfy { replica in
            replica.streamStatus(now: now).allSatisfy { $0.missing == 0 && $0.applied == $0.head }
        }
    }

    /// Whose copy differs from what all origins have published.
    var differences: [String] {
        let joined = ModelCache()
        for origin in origins {
            let snapshot = origin.cache.snapshot()
            joined.commit { commit in
                for type in snapshot.types {
                    snapshot.forEach(type: type, includingTombstones: true) { record in
                        commit.join(record, type: type)
                        return true
                    }
                }
            }
        }
        func differs(_ cache: ModelCache) -> Bool {
            Set(cache.types).union(joined.types).contains { cache.digest(of: $0) != joined.digest(of: $0) }
        }
        return relays.indices.filter { !dead.contains(.relay($0)) && differs(relays[$0].cache) }.map { "relay \($0)" }
            + replicas.indices.filter { differs(replicas[$0].cache) }.map { "replica \($0)" }
    }

    /// Sends a request of the test's own to a server and returns what is answered at once.
    mutating func ask(_ server: Server, _ request: ControlRequest, from peer: [UInt8] = [99]) -> [ControlReply] {
        ask(server, bytes: request.encode(), from: peer)
    }

    mutating func ask(_ server: Server, bytes: [UInt8], from peer: [UInt8] = [99]) -> [ControlReply] {
        replies = []
        receive(bytes, from: peer, at: server)
        return replies.filter { $0.peer == peer }.map(\.reply)
    }

    /// Asks as the owner of a key.
    mutating func ask(
        _ server: Server, _ request: ControlRequest, from peer: [UInt8] = [99], as grantee: Grantee,
        isExcess: Bool = false
    ) -> [ControlReply] {
        replies = []
        let received = ReceivedRequest(request.encode().span, limits: .default, from: grantee, isExcess: isExcess)
        switch server {
        case .origin(let index): origins[index].receive(received, from: peer, now: moment(of: index))
        case .relay(let index): relays[index].receive(received, from: peer, now: now)
        }
        carryOutAll()
        return replies.filter { $0.peer == peer }.map(\.reply)
    }

    // MARK: Inside

    private mutating func tick() {
        for index in origins.indices where !dead.contains(.origin(index)) {
            origins[index].flush()
            origins[index].tick(now: moment(of: index))
        }
        for index in relays.indices where !dead.contains(.relay(index)) { relays[index].tick(now: now) }
        for index in replicas.indices where !stopped.contains(index) { replicas[index].tick(now: now) }
        carryOutAll()
    }

    private mutating func handle(_ event: Event, _ link: Int) {
        let (sender, server) = (links[link].sender, links[link].server)
        switch links[link].listener {
        case .relay(let index): if dead.contains(.relay(index)) { return }
        case .replica(let index):
            if stopped.contains(index) { return waiting.append((link, event)) }
        }
        switch (event, links[link].listener) {
        case (.subscription(let prefix, let isOn), _):
            links[link].subscriptions.removeAll { $0 == prefix }
            guard isOn, !dead.contains(server) else { return }
            links[link].subscriptions.append(prefix)
            switch server {
            case .origin(let index): origins[index].subscribed(to: prefix, now: moment(of: index))
            case .relay(let index): relays[index].subscribed(to: prefix, now: now)
            }
        case (.request(let payload), _): receive(payload, from: peer(link), at: server)
        case (.connected, .relay(let index)): relays[index].connected(sender, now: now)
        case (.connected, .replica(let index)): replicas[index].connected(sender, now: now)
        case (.reply(let payload), .relay(let index)): relays[index].receiveControl(sender, payload.span, now: now)
        case (.reply(let payload), .replica(let index)):
            replicas[index].receiveControl(sender, payload.span, now: now)
        case (.stream(let topic, let payload), .relay(let index)):
            relays[index].receiveStream(sender, topic: topic.span, payload: payload.span, now: now)
        case (.stream(let topic, let payload), .replica(let index)):
            replicas[index].receiveStream(sender, topic: topic.span, payload: payload.span, now: now)
        }
        carryOutAll()
    }

    private mutating func receive(_ payload: [UInt8], from peer: [UInt8], at server: Server) {
        guard !dead.contains(server) else { return }
        switch server {
        case .origin(let index): origins[index].receive(payload.span, from: peer, now: moment(of: index))
        case .relay(let index): relays[index].receive(payload.span, from: peer, now: now)
        }
        carryOutAll()
    }

    mutating func carryOutAll() {
        for index in origins.indices {
            for action in origins[index].takeActions() {
                switch action {
                case .publish(let topic, let payload): publish(.origin(index), topic.bytes, payload)
                case .reply(let peer, let payload): reply(.origin(index), peer, payload)
                case .notice(let notice): notices.append(notice)
                }
            }
        }
        for index in relays.indices {
            for action in relays[index].takeActions() {
                switch action {
                case .replica(let action): carryOut(action, of: .relay(index))
                case .publish(let topic, let payload):
                    if topic.type != nil { sent[index, default: []].append(payload) }
                    publish(.relay(index), topic.bytes, payload)
                case .reply(let peer, let payload): reply(.relay(index), peer, payload)
                case .persist(let token, _, _, _, _, _): persists.append(token)
                }
            }
        }
        for index in replicas.indices {
            for action in replicas[index].takeActions() { carryOut(action, of: .replica(index)) }
        }
    }

    private mutating func carryOut(_ action: ReplicaAction, of listener: Listener) {
        func link(_ sender: SenderID) -> Int? {
            links.firstIndex { $0.listener == listener && $0.sender == sender }
        }
        switch action {
        case .connectStream, .forward, .fetched: break
        case .subscribe(let sender, let prefix): upwards(.subscription(prefix, isOn: true), link(sender))
        case .unsubscribe(let sender, let prefix): upwards(.subscription(prefix, isOn: false), link(sender))
        case .request(let sender, let payload): upwards(.request(payload), link(sender))
        case .reconnect(let sender): if let link = link(sender) { reconnect(link) }
        case .notice(let notice): notices.append(notice)
        }
    }

    private mutating func reconnect(_ link: Int) {
        links[link].epoch &+= 1
        links[link].subscriptions = []
        add(.connected, link, at: time + 20_000)
    }

    private mutating func upwards(_ event: Event, _ link: Int?) {
        guard let link else { return }
        let at = max(time + delay(), links[link].last.up)
        links[link].last.up = at
        add(event, link, at: at)
    }

    private mutating func publish(_ server: Server, _ topic: [UInt8], _ payload: [UInt8]) {
        guard !dead.contains(server) else { return }
        for link in links.indices where links[link].server == server {
            guard links[link].subscriptions.contains(where: { topic.starts(with: $0) }) else { continue }
            if chance(lossPerMille) || loses(link, payload) {
                lostCount += 1
                continue
            }
            for _ in 0..<(chance(duplicationPerMille) ? 2 : 1) {
                let at = max(time + delay(), links[link].last.stream)
                links[link].last.stream = at
                add(.stream(topic, payload), link, at: at)
            }
        }
    }

    private mutating func reply(_ server: Server, _ peer: [UInt8], _ payload: [UInt8]) {
        guard !dead.contains(server) else { return }
        guard let link = links.indices.first(where: { self.peer($0) == peer }) else {
            if let reply = try? ControlReply(decoding: payload.span) { replies.append((peer, reply)) }
            return
        }
        let at = max(time + answerDelay + delay(), links[link].last.down)
        links[link].last.down = at
        add(.reply(payload), link, at: at)
    }

    private func peer(_ link: Int) -> [UInt8] { [1, UInt8(link), links[link].epoch] }

    private mutating func add(_ event: Event, _ link: Int, at: UInt64) {
        queue.append((at, link, links[link].epoch, event))
    }

    private mutating func delay() -> UInt64 { UInt64.random(in: 50...3_000, using: &generator) }

    private mutating func chance(_ perMille: Int) -> Bool {
        perMille > 0 && Int.random(in: 0..<1000, using: &generator) < perMille
    }
}
