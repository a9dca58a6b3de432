import ModelWire
import TestSupport
import ZeroMQ

@testable import Modelcast

/// A subscriber of everything at a stream under any key, which returns what comes byte for byte. Belongs to one thread.
struct KeyedListener: ~Copyable {
    struct Heard {
        let topic: Topic
        let payload: [UInt8]
    }

    private let socket: Socket
    private var poller: Poller

    /// The time for one call; reached only when something is broken.
    private static let limit = Duration.seconds(60)

    init(_ endpoint: String, as keys: Curve.KeyPair, of server: Curve.PublicKey, in context: Context) throws {
        let socket = try Socket(.sub, in: context)
        try Security.connect(socket, keys, to: server)
        try socket.subscribe(to: "")
        try socket.connect(endpoint)
        var poller = try Poller()
        _ = try poller.add(socket)
        self.socket = socket
        self.poller = poller
    }

    /// Raises a barrier, and listens until its sender has answered it: then everything is here that was sent before.
    /// - Parameter sender: the name of the sender, whose own heads are the last of the answer.
    mutating func hear(untilBarrierOf sender: String) throws -> [Heard] {
        let barrier = Topic.barrier((0..<16).map { _ in .random(in: .min ... .max) })
        try socket.subscribe(to: barrier.bytes)
        var heard: [Heard] = []
        let deadline = ContinuousClock.now + Self.limit
        while true {
            while let head = try socket.receive() {
                let topic = Topic(bytes: head.array)
                guard head.hasMore, let message = try socket.receive() else { continue }
                heard.append(Heard(topic: topic, payload: message.array))
                guard topic == barrier, case .heads(let heads)? = heard.last?.frame else { continue }
                if heads.origin == sender { return heard }
            }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { throw CaseFailure("a barrier got no answer") }
            _ = try poller.wait(timeout: left)
        }
    }
}

extension KeyedListener.Heard {
    var frame: StreamFrame? { try? StreamFrame(decoding: payload.span) }

    /// The origin of a batch; nil for anything else.
    var origin: String? {
        guard case .batch? = frame else { return nil }
        var decoder = BatchDecoder()
        do { try decoder.decode(payload.span) } catch { return nil }
        return decoder.origin
    }
}
