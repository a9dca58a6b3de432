import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// A job that pushes to relays of a network over connections that may lose what is on its way.
struct PushingJob {
    var network = RelayNetwork()
    var origin: Origin
    private(set) var pusher: Pusher
    var generator: SeededGenerator
    var lossPerMille = 0
    /// How far its clock is ahead of the relays', in milliseconds.
    var lead: Int64 = 0
    var epochs: [UInt8]
    var reconnects = 0
    var requests: [ControlRequest] = []

    init(
        seed: UInt64 = 1, relays: Int = 1, _ configuration: PusherConfiguration = PusherConfiguration(),
        relay: (inout RelayMachineConfiguration) -> Void = { _ in }
    ) throws {
        generator = SeededGenerator(seed: seed)
        pusher = Pusher(configuration: configuration)
        epochs = Array(repeating: 0, count: relays)
        origin = try PushingJob.makeOrigin(ModelCache(), after: 0, now: network.now)
        for index in 0..<relays {
            try network.addRelay("relay-\(index)", configure: relay)
            #expect(pusher.addRelay() == index)
        }
        for index in 0..<relays { pusher.connected(index, now: network.now) }
    }

    private static func makeOrigin(
        _ cache: ModelCache, after seen: Stamp, now: Moment, limits: WireLimits = .default
    ) throws -> Origin {
        try Origin(
            configuration: OriginConfiguration(
                name: "job", streamEndpoint: "memory", limits: limits, batchByteCount: 64),
            cache: cache, now: now, after: seen)
    }

    /// The job is run once more, with all that its store has kept, which is everything.
    /// - Parameter limits: nil for those that it had.
    mutating func runAgain(limits: WireLimits? = nil) throws {
        var configuration = pusher.configuration
        configuration.limits = limits ?? configuration.limits
        origin = try PushingJob.makeOrigin(
            origin.cache, after: origin.lastStamp, now: network.now, limits: configuration.limits)
        pusher = Pusher(configuration: configuration)
        for _ in epochs.indices { _ = pusher.addRelay() }
        pusher.compare(origin.formerWrites)
        for index in epochs.indices {
            epochs[index] &+= 1
            pusher.connected(index, now: network.now)
        }
    }

    /// A relay that has nothing stands in a relay's place, and the connections to that break.
    mutating func restartRelay(_ index: Int) throws {
        try network.restartRelay(index)
        pusher.disconnected(index, reason: "reset", now: network.now)
    }

    private var now: Moment {
        var moment = network.now
        moment.wallMilliseconds += UInt64(lead)
        return moment
    }

    mutating func write(_ id: String, _ value: Int64, type: String = "User") throws {
        try write(.merge, id, ["age": .int(value)], type: type)
    }

    mutating func write(_ write: Write, _ id: String, _ fields: Fields = [:], type: String = "User") throws {
        _ = try origin.write(write, type: type, id: id, fields: try EncodedFields(fields), now: now)
        origin.flush()
        try push()
    }

    private mutating func push() throws {
        for case .publish(let topic, let payload) in origin.takeActions() {
            try pusher.push(topic: topic, payload: payload)
        }
    }

    /// Lets requests and replies travel for some time.
    mutating func run(milliseconds: UInt64) throws {
        let end = network.time + milliseconds * 1000
        while network.time < end {
            network.run(milliseconds: 5)
            pusher.tick(now: network.now)
            try exchange()
        }
    }

    private mutating func exchange() throws {
        while pusher.hasActions {
            for action in pusher.takeActions() {
                switch action {
                case .request(let relay, let payload):
                    if let request = try? ControlRequest(decoding: payload.span, limits: .default) {
                        requests.append(request)
                    }
                    if lossPerMille > 0, Int.random(in: 0..<1000, using: &generator) < lossPerMille { continue }
                    for reply in network.ask(
                        .relay(relay), bytes: payload, from: [50, UInt8(relay), epochs[relay]])
                    {
                        if lossPerMille > 0, Int.random(in: 0..<1000, using: &generator) < lossPerMille { continue }
                        pusher.receive(relay, reply.encode().span, now: network.now)
                    }
                case .reconnect(let relay):
                    reconnects += 1
                    epochs[relay] &+= 1
                    pusher.connected(relay, now: network.now)
                case .clockRefused(let refusal):
                    if origin.startAnewIfRefused(taken: refusal.taken, now: now) {
                        pusher.beginAnew(giving: refusal.incarnation)
                        pusher.compare(origin.formerWrites)
                        origin.flush()
                        try push()
                    } else {
                        pusher.tryAgain(refusal)
                    }
                case .sendAgain(let type, let ids):
                    for (id, reason) in origin.sendAgain(ids, type: type, now: now) {
                        pusher.cannotSendAgain(id, type: type, reason: reason)
                    }
                    try push()
                case .notice(let notice): network.notices.append(notice)
                }
            }
        }
    }

    func isEqual(_ relay: Int) -> Bool {
        origin.cache.types.allSatisfy {
            origin.cache.digest(of: $0) == network.relays[relay].cache.digest(of: $0)
        }
    }
}
