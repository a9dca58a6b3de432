import Testing
import ZeroMQ

@Suite struct MonitorTests {
    @Test func `the life of a connection is told on both sides`() throws {
        let context = try Context()
        let server = try Socket(.router, in: context)
        let serverMonitor = try server.makeMonitor()
        try server.bind("tcp://127.0.0.1:*")
        let endpoint = try server.lastEndpoint()
        let listening = try nextEvent(of: serverMonitor) { $0 == .listening }
        #expect(listening.endpoint == endpoint)

        let client = try Socket(.dealer, in: context)
        let clientMonitor = try client.makeMonitor()
        try client.connect(endpoint)
        let connected = try nextEvent(of: clientMonitor) { $0 == .connected }
        #expect(connected.endpoint == endpoint)
        _ = try nextEvent(of: clientMonitor) { $0 == .handshakeSucceeded }
        _ = try nextEvent(of: serverMonitor) { $0 == .accepted }
        _ = try nextEvent(of: serverMonitor) { $0 == .handshakeSucceeded }

        server.close()
        _ = try nextEvent(of: clientMonitor) { $0 == .disconnected }
        _ = try nextEvent(of: clientMonitor) { event in
            if case .connectRetried = event { true } else { false }
        }
    }

    @Test func `a failed bind is told with its reason`() throws {
        let context = try Context()
        let first = try Socket(.pair, in: context)
        try first.bind("tcp://127.0.0.1:*")
        let second = try Socket(.pair, in: context)
        let monitor = try second.makeMonitor()
        let endpoint = try first.lastEndpoint()
        #expect(throws: ZeroMQError.self) { try second.bind(endpoint) }
        _ = try nextEvent(of: monitor) { $0 == .bindFailed(.addressInUse) }
    }

    @Test func `a host that does not resolve shows as retries`() throws {
        let socket = try Socket(.dealer, in: Context())
        let monitor = try socket.makeMonitor()
        try socket.set(.reconnectInterval, .milliseconds(10))
        try socket.connect("tcp://no-such-host.invalid:7000")
        _ = try nextEvent(of: monitor) { event in
            if case .connectRetried = event { true } else { false }
        }
    }

    @Test func `a peer that speaks something else fails the handshake`() throws {
        // A ROUTER behind CURVE and a client without: their mechanisms differ.
        let context = try Context()
        let server = try Socket(.router, in: context)
        try server.set(.curveServer, true)
        try server.set(.curveSecretKey, Curve.KeyPair().secretKey)
        let monitor = try server.makeMonitor()
        try server.bind("tcp://127.0.0.1:*")
        let client = try Socket(.dealer, in: context)
        try client.connect(server.lastEndpoint())
        let event = try nextEvent(of: monitor) { event in
            if case .handshakeFailed = event { true } else { false }
        }
        #expect(event.kind == .handshakeFailed(.protocolError(.mechanismMismatch)))
    }

    @Test func `row 12: a wrong server key is told by the server's monitor`() throws {
        let context = try Context()
        let server = try Socket(.router, in: context)
        try server.set(.curveServer, true)
        try server.set(.curveSecretKey, Curve.KeyPair().secretKey)
        let monitor = try server.makeMonitor()
        try server.bind("tcp://127.0.0.1:*")

        let client = try Socket(.dealer, in: context)
        let keys = try Curve.KeyPair()
        try client.set(.curvePublicKey, keys.publicKey)
        try client.set(.curveSecretKey, keys.secretKey)
        try client.set(.curveServerKey, Curve.KeyPair().publicKey)
        try client.connect(server.lastEndpoint())
        let event = try nextEvent(of: monitor) { event in
            if case .handshakeFailed = event { true } else { false }
        }
        #expect(event.kind == .handshakeFailed(.protocolError(.cryptographic)))
    }

    @Test func `row 14: a monitor that nobody reads does not stop its socket`() throws {
        let context = try Context()
        let server = try Socket(.router, in: context)
        let monitor = try server.makeMonitor()
        try server.bind("tcp://127.0.0.1:*")
        let endpoint = try server.lastEndpoint()
        // At least three events each: more than the 1,000 that a queue holds by default.
        let clientCount = 400
        for number in 0..<clientCount {
            let client = try Socket(.dealer, in: context)
            try client.connect(endpoint)
            try send("\(number)", on: client)
            #expect(try nextFrames(server).last == Array("\(number)".utf8))
        }
        var accepted = 0
        while accepted < clientCount {
            _ = try nextEvent(of: monitor) { $0 == .accepted }
            accepted += 1
        }
        #expect(accepted == clientCount)
    }

    @Test func `row 14: a monitor that goes first leaves its socket working, and makes room for another`() throws {
        let pair = try Pair(.router, .dealer)
        for round in 0..<20 {
            let monitor = try pair.bound.makeMonitor()
            try send("\(round)", on: pair.connected)
            #expect(try nextFrames(pair.bound).last == Array("\(round)".utf8))
            _ = consume monitor
        }
    }

    @Test func `row 14: a socket that goes first ends its monitor and its context`() throws {
        for _ in 0..<20 {
            let context = try Context()
            let socket = try Socket(.pair, in: context)
            let monitor = try socket.makeMonitor()
            try socket.bind("tcp://127.0.0.1:*")
            socket.close()
            _ = try nextEvent(of: monitor) { $0 == .monitorStopped }
            #expect(try monitor.next() == nil)
        }
    }

    @Test func `row 14: the monitor of a shared socket may go first, as when a bind fails, and tells descriptors`()
        throws
    {
        let context = try Context()
        let holder = try Socket(.router, in: context)
        try holder.bind("tcp://127.0.0.1:*")
        let taken = try holder.lastEndpoint()
        func bindInVain() throws {
            let socket = try Socket(.xpub, in: context)
            _ = try SharedMonitor(of: socket)
            try socket.bind(taken)
        }
        // Would wait for ever where nothing can receive the last event.
        #expect(throws: ZeroMQError.self) { try bindInVain() }
        let server = try Socket(.xpub, in: context)
        let monitor = try SharedMonitor(of: server)
        try server.bind("tcp://127.0.0.1:*")
        let shared = try SharedSocket(server)
        let endpoint = try shared.withLock { socket throws(ZeroMQError) in try socket.lastEndpoint() }
        let client = try Socket(.sub, in: context)
        try client.connect(endpoint)
        var poller = try Poller()
        _ = poller.add(monitor)
        var accepted: Int32?
        let deadline = ContinuousClock.now + .seconds(30)
        while accepted == nil, ContinuousClock.now < deadline {
            _ = try poller.wait(timeout: .milliseconds(100))
            while let event = try monitor.next() { accepted = accepted ?? event.descriptor }
        }
        #expect(Connection(descriptor: try #require(accepted))?.isOpen == true)
    }
}
