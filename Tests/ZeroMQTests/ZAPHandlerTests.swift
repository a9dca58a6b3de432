import ModelRecord
import TestSupport
import Testing
import ZeroMQ

/// The handler behind real sockets.
@Suite struct ZAPHandlerTests {
    /// A serving socket that asks the handler of its context.
    private static func server(
        _ keys: Curve.KeyPair, in context: Context, domain: String = "modelcast"
    ) throws -> Socket {
        let server = try Socket(.router, in: context)
        try server.set(.curveServer, true)
        try server.set(.curveSecretKey, keys.secretKey)
        try server.set(.zapDomain, domain)
        try server.set(.zapEnforceDomain, true)
        // A question to a handler that is just going has no answer: the handshake ends by its limit then.
        try server.set(.handshakeInterval, .seconds(1))
        try server.bind("tcp://127.0.0.1:*")
        return server
    }

    private static func client(_ keys: Curve.KeyPair, of server: Curve.KeyPair) throws -> Socket {
        let client = try Socket(.dealer, in: Context())
        try client.set(.curvePublicKey, keys.publicKey)
        try client.set(.curveSecretKey, keys.secretKey)
        try client.set(.curveServerKey, server.publicKey)
        return client
    }

    /// Answers until the monitor of a client tells how its handshake ended.
    private static func outcome(
        _ handler: borrowing ZAPHandler, _ monitor: borrowing Monitor
    ) throws
        -> (SocketEvent.Kind, [ZAPDecision])
    {
        var poller = try Poller()
        _ = try poller.add(handler)
        _ = try poller.add(monitor)
        let deadline = ContinuousClock.now + limit
        var decisions: [ZAPDecision] = []
        while ContinuousClock.now < deadline {
            _ = try poller.wait(timeout: deadline - .now)
            decisions += try handler.answer()
            while let event = try monitor.next() {
                switch event.kind {
                case .handshakeSucceeded, .handshakeFailed: return (event.kind, decisions)
                default: continue
                }
            }
        }
        throw Missing()
    }

    @Test func `a client with an allowed key comes in`() throws {
        let (context, keys, mine) = (try Context(), try Curve.KeyPair(), try Curve.KeyPair())
        let handler = try ZAPHandler(allowing: [mine.publicKey], domain: "modelcast", in: context)
        let server = try Self.server(keys, in: context)
        let client = try Self.client(mine, of: keys)
        let monitor = try client.makeMonitor()
        try client.connect(server.lastEndpoint())
        let (end, decisions) = try Self.outcome(handler, monitor)
        #expect(end == .handshakeSucceeded)
        #expect(decisions == [.allowed(mine.publicKey)])
        try send("secret", on: client)
        #expect(try nextFrames(server).last == Array("secret".utf8))
    }

    @Test func `row 12: a client with another key is told that it is refused`() throws {
        let (context, keys, mine) = (try Context(), try Curve.KeyPair(), try Curve.KeyPair())
        let handler = try ZAPHandler(allowing: [try Curve.KeyPair().publicKey], domain: "modelcast", in: context)
        let server = try Self.server(keys, in: context)
        let client = try Self.client(mine, of: keys)
        let monitor = try client.makeMonitor()
        try client.connect(server.lastEndpoint())
        let (end, decisions) = try Self.outcome(handler, monitor)
        #expect(end == .handshakeFailed(.refused(status: 400)))
        #expect(decisions == [.refused(mine.publicKey)])
        // Whether it is still queued depends on whether the client has noticed that the connection is gone.
        _ = try client.send(Message("secret"))
        #expect(try !server.get(.events).contains(.readable))
    }

    @Test func `row 25: each domain lets in its own keys, and nobody when it is taken away`() throws {
        let (context, keys) = (try Context(), try Curve.KeyPair())
        let (mine, other) = (try Curve.KeyPair(), try Curve.KeyPair())
        var handler = try ZAPHandler(allowing: [mine.publicKey], domain: "one", in: context)
        handler.allow([other.publicKey], in: "two")
        let first = try Self.server(keys, in: context, domain: "one")
        let second = try Self.server(keys, in: context, domain: "two")
        let (one, two) = (try first.lastEndpoint(), try second.lastEndpoint())
        func comesIn(_ pair: Curve.KeyPair, _ endpoint: String) throws -> Bool {
            let client = try Self.client(pair, of: keys)
            let monitor = try client.makeMonitor()
            try client.connect(endpoint)
            return try Self.outcome(handler, monitor).0 == .handshakeSucceeded
        }
        #expect(try comesIn(mine, one) && !comesIn(mine, two))
        #expect(try comesIn(other, two) && !comesIn(other, one))
        handler.allow(nil, in: "two")
        #expect(try !comesIn(other, two) && comesIn(mine, one))
    }

    @Test func `row 13: a handler that has gone lets in nobody where the domain is enforced`() throws {
        let (context, keys, mine) = (try Context(), try Curve.KeyPair(), try Curve.KeyPair())
        do { _ = try ZAPHandler(allowing: [mine.publicKey], domain: "modelcast", in: context) }
        let server = try Self.server(keys, in: context)
        let client = try Self.client(mine, of: keys)
        let monitor = try client.makeMonitor()
        try client.connect(server.lastEndpoint())
        let event = try nextEvent(of: monitor) { event in
            switch event {
            case .handshakeFailed, .handshakeSucceeded: true
            default: false
            }
        }
        #expect(event.kind != .handshakeSucceeded)
    }

    @Test func `where no keys are used a client without comes in, and one with keys does not`() throws {
        for hasKeys in [false, true] {
            let (context, keys) = (try Context(), try Curve.KeyPair())
            let handler = try ZAPHandler(allowing: nil, domain: "modelcast", in: context)
            let server = try Socket(.router, in: context)
            try server.set(.zapDomain, "modelcast")
            try server.set(.zapEnforceDomain, true)
            try server.bind("tcp://127.0.0.1:*")
            let client = hasKeys ? try Self.client(keys, of: keys) : try Socket(.dealer, in: Context())
            let monitor = try client.makeMonitor()
            try client.connect(server.lastEndpoint())
            let (end, decisions) = try Self.outcome(handler, monitor)
            #expect((end == .handshakeSucceeded) == !hasKeys)
            #expect(decisions == (hasKeys ? [] : [.allowedWithoutKey]))
        }
    }

    @Test func `a context has one handler`() throws {
        let context = try Context()
        let first = try ZAPHandler(allowing: [], domain: "modelcast", in: context)
        let error = #expect(throws: ZeroMQError.self) {
            _ = try ZAPHandler(allowing: [], domain: "modelcast", in: context)
        }
        #expect(error?.code == .addressInUse)
        _ = try ZAPHandler(allowing: [], domain: "modelcast", in: Context())
        #expect(try first.answer().isEmpty)
    }

    @Test func `garbage at the handler's endpoint is answered, and it goes on`() throws {
        let context = try Context()
        let handler = try ZAPHandler(allowing: [], domain: "modelcast", in: context)
        var poller = try Poller()
        _ = try poller.add(handler)
        let asking = try Socket(.dealer, in: context)
        try asking.connect("inproc://zeromq.zap.01")
        var generator = SeededGenerator(seed: 1)
        for count in 1...40 {
            // The delimiter of a request first: what is none reaches no REP socket.
            try send([[]] + (0..<count).map { _ in .random(lengths: 0...300, using: &generator) }, on: asking)
            _ = try poller.wait(timeout: limit)
            #expect(try handler.answer() == [.malformed])
            let reply = try nextFrames(asking)
            #expect(reply.count == 7 && reply[3] == Array("400".utf8))
        }
    }
}
