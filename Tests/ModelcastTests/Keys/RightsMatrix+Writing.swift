import ModelWire
import TestSupport
import ZeroMQ

@testable import ModelSync
@testable import Modelcast

extension RightsMatrix {
    // MARK: Pushing

    /// Pushes each type as each origin, under one key, to a relay or to a publisher.
    /// - Parameter sender: what it holds afterwards, if that is a relay.
    mutating func push(_ sender: inout AskedSender, as grant: WrittenGrant, _ maker: inout BatchMaker) throws {
        var client = try client(of: sender, grant)
        let isRelay = sender.name == RightsWorld.relayName
        var requests: [(UInt64) -> ControlRequest] = []
        var pushes: [(type: String, origin: String, start: UInt64)] = []
        for type in RightsWorld.types {
            for origin in RightsWorld.origins {
                let start = maker.next()
                let batch = try maker.batch(type, "\(grant.name)-\(origin)", of: origin, start: start)
                requests.append { .push(rid: $0, topic: .data(type: type), batch: batch) }
                pushes.append((type, origin, start))
            }
        }
        let answers = try client.answers(to: requests)
        for ((type, origin, start), replies) in zip(pushes, answers) {
            let mayWrite = isRelay && grant.writes(type, as: origin)
            let id = "\(grant.name)-\(origin)"
            check(
                grant, "push as \(origin) at \(sender.name)", type, Answer(replies),
                mayWrite ? .accepted : .refused(.denied))
            check(grant, "what is there after a push as \(origin)", type, sender.cache[type, id] != nil, mayWrite)
            if mayWrite { sender.note(type, id, of: origin, start: start) }
        }
    }

    /// Pushes transactions over two types: all of it has to be granted.
    mutating func pushTransactions(
        _ relay: inout AskedSender, as grant: WrittenGrant, _ maker: inout BatchMaker
    ) throws {
        var client = try client(of: relay, grant)
        for number in 0..<4 {
            let pair = Array(RightsWorld.types.shuffled(using: &generator).prefix(2))
            // Pairs that may be written are rare by chance, and so are those of which a half may be.
            let allowed = RightsWorld.types.filter { type in
                RightsWorld.origins.contains { grant.writes(type, as: $0) }
            }
            let types = [(number < 2 ? allowed.randomElement(using: &generator) : nil) ?? pair[0], pair[1]]
            guard types[0] != types[1] else { continue }
            let origin =
                RightsWorld.origins.filter { number == 3 || grant.writes(types[0], as: $0) }
                .randomElement(using: &generator) ?? "o"
            let (start, stamp) = (maker.next(), maker.next())
            let id = "\(grant.name)-both-\(number)"
            var requests: [(UInt64) -> ControlRequest] = []
            for type in types {
                let batch = try maker.batch(type, id, of: origin, start: start, stamp: stamp, group: types)
                requests.append { .push(rid: $0, topic: .data(type: type), batch: batch) }
            }
            let mayWrite = types.allSatisfy { grant.writes($0, as: origin) }
            for (type, replies) in zip(types, try client.answers(to: requests)) {
                let method = "push of \(types.joined(separator: " and ")) as \(origin)"
                check(grant, method, type, Answer(replies), mayWrite ? .accepted : .refused(.denied))
                check(grant, "what is there after \(method)", type, relay.cache[type, id] != nil, mayWrite)
                if mayWrite { relay.note(type, id, of: origin, start: start) }
            }
        }
    }

    // MARK: Reports

    /// Reports a later start of the publisher, under each key. Those that make it start anew come last, and one of them
    /// is enough: for ten seconds after that no report counts.
    /// - Parameter start: the publisher's start as it is now.
    mutating func report(_ publisher: AskedSender, start: () -> UInt64) throws {
        let first = start()
        let later = Heads(origin: publisher.name, incarnation: first + 1, stamp: first + 1, heads: [])
        let order = world.grants.filter { !$0.causesRecovery } + world.grants.filter(\.causesRecovery).prefix(1)
        for grant in order {
            var client = try client(of: publisher, grant)
            try client.send { .report(rid: $0, report: ReplicaReport(state: "live", applied: [later])) }
            // Requests of a peer are done in turn.
            _ = try client.answer { .hello(rid: $0, version: 1, name: "asker", prefixes: []) }
            check(grant, "a report of a later start", "anything", start() > first, grant.causesRecovery)
        }
    }

    // MARK: Streams

    /// Listens to everything under a key while all types are written again.
    /// - Parameter write: writes each type of each origin once more.
    mutating func listen(to sender: AskedSender, as grant: WrittenGrant, write: () throws -> Void) throws {
        var client = try client(of: sender, grant)
        let greeting = try client.answer { .hello(rid: $0, version: 1, name: "listener", prefixes: []) }
        guard case .welcome(_, _, _, let stream, _, _, _, _)? = greeting.last else {
            return check(grant, "hello", "anything", Answer(greeting), .other("a welcome"))
        }
        var listener = try KeyedListener(stream, as: grant.keys, of: world.server.publicKey, in: context)
        // The first barrier says that all is heard from here on.
        var heard = try listener.hear(untilBarrierOf: sender.name)
        try write()
        heard += try listener.hear(untilBarrierOf: sender.name)
        var written: Set<[String]> = []
        for message in heard {
            if let type = message.topic.type { written.insert([message.origin ?? "nobody", type]) }
            checkHidden(message, sender, grant)
        }
        for (origin, types) in sender.types {
            for type in types {
                let method = "the stream of \(sender.name), of \(origin)"
                check(grant, method, type, written.contains([origin, type]), grant.reads(type))
            }
        }
    }

    /// A message of a stream names no type that may not be read, no origin that has no others, and has no content of
    /// them.
    private mutating func checkHidden(_ message: KeyedListener.Heard, _ sender: AskedSender, _ grant: WrittenGrant) {
        var (named, origins): (Set<String>, Set<String>) = (Set([message.topic.type].compactMap(\.self)), [])
        switch message.frame {
        case .heads(let heads):
            origins = [heads.origin]
            named.formUnion(heads.heads.map { $0.topic.type ?? "\($0.topic)" })
        case .bye(let bye): origins = [bye.origin]
        case .signedHeads(let told): (origins, named) = ([told.origin], named.union([told.type]))
        case .batch: origins = [message.origin ?? "nobody"]
        case .unknown, nil: named.insert("what is no frame")
        }
        for type in RightsWorld.types where message.payload.contains(RightsWorld.mark(type).utf8) {
            named.insert(type)
        }
        let hidden = named.filter { !grant.reads($0) } + origins.filter { !sender.shows($0, to: grant) }
        if !hidden.isEmpty {
            check(grant, "the stream of \(sender.name), on \(message.topic)", "anything", hidden.sorted(), [])
        }
    }
}

extension AskedSender {
    /// Takes note of a model that was pushed.
    mutating func note(_ type: String, _ id: String, of origin: String, start: UInt64) {
        types[origin, default: []].insert(type)
        ids[type, default: []].insert(id)
        starts[origin] = start
    }
}
