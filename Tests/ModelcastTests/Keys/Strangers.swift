import ModelRecord
import ModelWire
import TestSupport
import ZeroMQ

@testable import Modelcast

/// A way in which somebody tries to come in, or to get more than was granted.
enum StrangerKind: String, CaseIterable, Sendable {
    /// libzmq's clients: without keys, with a random key, with another server's key, with a key whose grant was taken
    /// away, and with a good key at a stream for others.
    case noKey, randomKey, wrongServerKey, revokedKey, othersStream
    /// Bytes on a connection of TCP.
    case randomBytes, web, oldGreeting, plain, withoutKeys, cutHandshake
    /// Requests of a key for what it was not granted.
    case wrongRights

    /// How many of each five hundred tries are of this kind.
    var share: Int {
        switch self {
        case .noKey, .withoutKeys, .othersStream, .revokedKey: 30
        case .wrongServerKey, .plain: 25
        case .web, .oldGreeting: 40
        case .randomKey, .cutHandshake: 60
        case .randomBytes: 70
        case .wrongRights: 60
        }
    }
}

/// The targets of strangers, and what they know.
struct StrangerTargets: Sendable {
    struct Sender: Sendable {
        let control: String
        /// The stream of everything, and those of keys that may read one type: by the name of their key.
        let streams: [String: String]
        let starts: [String: UInt64]
    }

    let server: Curve.KeyPair
    let senders: [Sender]
    /// The keys by name.
    let keys: [String: Curve.KeyPair]
    let bytes: StrangerBytes

    /// The types that are there, and the keys that may read one of them. Nobody but the honest may read the last.
    static let readers = ["Open": "narrow", "Other": "other"]
    static let types = ["Open", "Other", "Secret"]
    static func mark(_ type: String) -> String { "<<\(type)>>" }
}

/// Somebody who tries to come in, again and again, on a thread of its own.
struct Stranger {
    private let targets: StrangerTargets
    private let context: Context
    private var generator: SeededGenerator
    /// How often each way was tried.
    private(set) var counts: [StrangerKind: Int] = [:]
    /// The tries that have brought what they must not.
    private(set) var gains: [String] = []

    /// The time for one try; reached only when something is broken.
    private static let limit = Duration.seconds(30)
    /// How many requests one connection makes.
    static let requestCount = 20

    init(_ targets: StrangerTargets, seed: UInt64) throws {
        self.targets = targets
        context = try Context()
        generator = SeededGenerator(seed: seed)
    }

    /// Tries once, or with a connection's requests.
    mutating func attempt(_ kind: StrangerKind) throws {
        let sender = targets.senders.randomElement(using: &generator) ?? targets.senders[0]
        if kind == .wrongRights { return try ask(sender) }
        counts[kind, default: 0] += 1
        let isStream = kind == .othersStream || Bool.random(using: &generator)
        let streams = sender.streams.sorted { $0.key < $1.key }
        let stream = streams.randomElement(using: &generator) ?? streams[0]
        let endpoint = isStream ? stream.value : sender.control
        switch kind {
        case .noKey: try knock(kind, at: endpoint, isStream, nil, targets.server)
        case .randomKey: try knock(kind, at: endpoint, isStream, try Curve.KeyPair(), targets.server)
        case .wrongServerKey: try knock(kind, at: endpoint, isStream, targets.keys["honest"], try Curve.KeyPair())
        case .revokedKey: try knock(kind, at: endpoint, isStream, targets.keys["revoked"], targets.server)
        case .othersStream:
            let others = targets.keys.filter { $0.key != stream.key && sender.streams[$0.key] != nil }
            let key = others.sorted { $0.key < $1.key }.randomElement(using: &generator)
            try knock(kind, at: endpoint, isStream, key?.value, targets.server)
        case .wrongRights, .randomBytes, .web, .oldGreeting, .plain, .withoutKeys, .cutHandshake:
            try send(bytes(kind, toStream: isStream), kind, to: endpoint)
        }
    }

    private mutating func bytes(_ kind: StrangerKind, toStream: Bool) -> [UInt8] {
        switch kind {
        case .web: targets.bytes.web(toStream: toStream, &generator)
        case .oldGreeting: targets.bytes.oldGreeting(toStream: toStream, &generator)
        case .plain: targets.bytes.plain(toStream: toStream, &generator)
        case .withoutKeys: targets.bytes.withoutKeys(toStream: toStream, &generator)
        case .cutHandshake: targets.bytes.cutHandshake(toStream: toStream, &generator)
        default: targets.bytes.randomBytes(&generator)
        }
    }

    // MARK: Connections

    /// Connects by libzmq, and asks or subscribes.
    private mutating func knock(
        _ kind: StrangerKind, at endpoint: String, _ isStream: Bool, _ keys: Curve.KeyPair?, _ server: Curve.KeyPair
    ) throws {
        let socket = try Socket(isStream ? .sub : .dealer, in: context)
        if let keys { try Security.connect(socket, keys, to: server.publicKey) }
        let monitor = try socket.makeMonitor()
        if isStream { try socket.subscribe(to: "") }
        try socket.connect(endpoint)
        if !isStream { for request in targets.bytes.requests { _ = try socket.send(Message(request)) } }
        var poller = try Poller()
        _ = try poller.add(monitor)
        let token = try poller.add(socket)
        let deadline = ContinuousClock.now + Self.limit
        while ContinuousClock.now < deadline {
            _ = try poller.wait(timeout: .seconds(1))
            if poller.isReadable(token), try socket.receive() != nil { return gains.append("\(kind) got a message") }
            while let event = try monitor.next() {
                switch event.kind {
                case .handshakeSucceeded: return gains.append("\(kind) was let in at \(endpoint)")
                case .handshakeFailed, .disconnected: return
                default: continue
                }
            }
        }
        throw CaseFailure("\(kind): neither let in nor refused at \(endpoint)")
    }

    /// Sends bytes, ends, and reads all that is said.
    private mutating func send(_ bytes: [UInt8], _ kind: StrangerKind, to endpoint: String) throws {
        let connection = try RawConnection(to: endpoint)
        connection.send(bytes)
        connection.finishSending()
        guard let said = connection.readToEnd() else {
            return gains.append("\(kind) keeps its connection open after \(bytes.count) bytes: \(bytes)")
        }
        let isLeak = StrangerTargets.types.contains { said.contains(StrangerTargets.mark($0).utf8) }
        guard said.count > StrangerBytes.welcomeByteCount || isLeak else { return }
        gains.append("\(kind) was told \(said.count) bytes: \(said)")
    }

    // MARK: Requests

    /// Asks and pushes what a key was not granted.
    private mutating func ask(_ sender: StrangerTargets.Sender) throws {
        let name = ["narrow", "other", "job", "idle"].randomElement(using: &generator) ?? "idle"
        guard let keys = targets.keys[name] else { throw CaseFailure("\(name) has no key") }
        var client = try KeyedClient(sender.control, as: keys, of: targets.server.publicKey, in: context)
        let wrongs = (0..<Self.requestCount).map { _ in wrong(name, sender) }
        let answers = try client.answers(to: wrongs.map(\.request))
        counts[.wrongRights, default: 0] += wrongs.count
        for (wrong, replies) in zip(wrongs, answers) {
            let answer = RightsMatrix.Answer(replies)
            let heads = replies.flatMap(\.heads).flatMap(\.heads).map { $0.topic.type ?? "none" }
            if answer != wrong.expected || heads.contains(where: { StrangerTargets.readers[$0] != name }) {
                gains.append("\(name) asks \(wrong.what), and gets \(answer) with heads of \(heads)")
            }
        }
    }

    private struct Wrong {
        let what: String
        let expected: RightsMatrix.Answer
        let request: (UInt64) -> ControlRequest
    }

    private mutating func wrong(_ name: String, _ sender: StrangerTargets.Sender) -> Wrong {
        let hidden = StrangerTargets.types.filter { StrangerTargets.readers[$0] != name }
        let type = hidden.randomElement(using: &generator) ?? "Secret"
        let topic = Topic.data(type: type)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            return Wrong(what: "for models of \(type)", expected: .records([:])) {
                .fetch(rid: $0, type: type, ids: ["0", "1", "2"])
            }
        case 1:
            let bits = UInt64.random(in: 0...8, using: &generator)
            let nothing = [UInt64](repeating: 0, count: 1 << Int(bits))
            return Wrong(what: "for digests of \(type)", expected: .digests(nothing)) {
                .digest(rid: $0, type: type, bits: bits)
            }
        case 2:
            return Wrong(what: "for a snapshot of \(type)", expected: .records([:])) {
                .snapshot(rid: $0, prefixes: [topic], credit: 64)
            }
        case 3:
            let (origin, start) = sender.starts.first ?? ("", 0)
            return Wrong(what: "for a replay of \(type)", expected: .refused(.unknownOrigin)) {
                .replay(rid: $0, origin: origin, incarnation: start, topic: topic, first: 1, last: 1)
            }
        default: return wrongPush(name)
        }
    }

    /// A push of another type than was granted, or as another origin. What a key may write it reads as well.
    private mutating func wrongPush(_ name: String) -> Wrong {
        var pairs = [("Secret", "honest"), ("Open", "job"), ("Job", "honest"), ("Job", "jobs"), ("Jobs", "job")]
        if name != "job" { pairs.append(("Job", "job")) }
        let (type, origin) = pairs.randomElement(using: &generator) ?? pairs[0]
        let now = Clocks.now().wallMilliseconds << 16 + 1
        var writer = BatchWriter()
        try? writer.append(.merge, stamp: now, id: "stranger", fields: ["name": "Mallory"])
        let batch = writer.finish(origin: origin, incarnation: now, sequence: 1)
        return Wrong(what: "to push \(type) as \(origin)", expected: .refused(.denied)) {
            .push(rid: $0, topic: .data(type: type), batch: batch)
        }
    }
}
