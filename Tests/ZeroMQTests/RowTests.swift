import Foundation
import TestSupport
import Testing
import ZeroMQ

/// What libzmq does that its manual does not stress, by the row numbers of the libzmq notes. Rows 2, 7 and 10 are
/// also in `SocketOptionTests` (options that do not exist here), 12 and 14 in `MonitorTests`, 15 in `MisuseTests`.
/// Rows 6, 16, 19 and 20 are rules for the layers above: documented at `Socket`, `Context` and `Socket.connect`; what
/// follows from row 19 is tested in `ReplicaTests`.
@Suite struct RowTests {
    static func topic(_ text: String) -> [UInt8] { [1] + Array(text.utf8) }

    @Test func `row 1: a publisher drops for a full subscriber and reports every message as sent`() throws {
        let pair = try Pair(.xpub, .sub, at: "inproc://row1") { socket in
            try socket.set(.sendHighWaterMark, 10)
            try socket.set(.receiveHighWaterMark, 10)
        }
        try pair.connected.subscribe(to: "")
        #expect(try nextFrames(pair.bound) == [[1]])
        for number in 0..<1000 { try send("\(number)", on: pair.bound) }
        var received: [String] = []
        var message = Message()
        while try pair.connected.receive(into: &message) {
            received.append(String(decoding: message.array, as: UTF8.self))
        }
        #expect((1..<1000).contains(received.count))
        #expect(received == (0..<received.count).map { "\($0)" })
    }

    @Test func `row 3: a ping behind a full queue ends the process when its connection ends`() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            readAfterPings(by: PingingPeer.script)
            exit(7)
        }
        // The same peer without pings is read to its end.
        await #expect(processExitsWith: .exitCode(7)) {
            readAfterPings(by: PingingPeer.script.replacingOccurrences(of: "message + ping", with: "message"))
            exit(7)
        }
    }

    @Test func `row 5: thousands of subscriptions all arrive, whatever the memory limit`() throws {
        let count = 3_000
        let pair = try Pair(.xpub, .sub) { socket in
            try socket.applyDefaults(frameLimit: 1_000, memoryLimit: 10_000)
            if socket.kind == .sub {
                for number in 0..<count { try socket.subscribe(to: "t/\(number)") }
            }
        }
        var topics: Set<[UInt8]> = []
        while topics.count < count { topics.insert(try nextFrames(pair.bound)[0]) }
        #expect(topics == Set((0..<count).map { Self.topic("t/\($0)") }))
    }

    @Test func `row 7: a barrier beginning with 0xFF arrives after every data subscription`() throws {
        let barrier: [UInt8] = [0xFF] + (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let pair = try Pair(.xpub, .sub) { socket in
            try socket.applyDefaults(frameLimit: 10_000, memoryLimit: 10_000_000)
            guard socket.kind == .sub else { return }
            try socket.subscribe(to: barrier)
            for number in (0..<500).shuffled() { try socket.subscribe(to: "m/Type\(number)/") }
        }
        for _ in 0..<500 { #expect(try nextFrames(pair.bound)[0] != [1] + barrier) }
        #expect(try nextFrames(pair.bound)[0] == [1] + barrier)
        // The barrier's answer means that every filter is active: nothing sent from now on is missed.
        try send([barrier, []], on: pair.bound)
        for number in 0..<500 { try send([Array("m/Type\(number)/".utf8), [1]], on: pair.bound) }
        #expect(try nextFrames(pair.connected) == [barrier, []])
        for number in 0..<500 {
            #expect(try nextFrames(pair.connected) == [Array("m/Type\(number)/".utf8), [1]])
        }
    }

    @Test func `row 8: a second subscriber of one topic is visible`() throws {
        let pair = try Pair(.xpub, .sub) { try $0.applyDefaults(frameLimit: 1 << 20, memoryLimit: 1 << 24) }
        try pair.connected.subscribe(to: "m/User/")
        #expect(try nextFrames(pair.bound) == [Self.topic("m/User/")])
        let second = try Socket(.sub, in: Context())
        try second.subscribe(to: "m/User/")
        try second.connect(pair.bound.lastEndpoint())
        #expect(try nextFrames(pair.bound) == [Self.topic("m/User/")])
        second.close()
        #expect(try nextFrames(pair.bound) == [[0] + Array("m/User/".utf8)])
    }

    @Test func `row 9: a router says that a peer's queue is full, and loses nothing`() throws {
        let pair = try Pair(.router, .dealer) { socket in
            try socket.applyDefaults(frameLimit: 20_000, memoryLimit: 200_000)
        }
        try send("hello", on: pair.connected)
        let peer = try nextFrames(pair.bound)[0]
        let body = [UInt8](repeating: 7, count: 20_000)
        var sent = 0
        var outcome = SendOutcome.sent
        while sent < 100_000 {
            var identity = Message(peer)
            outcome = try pair.bound.send(&identity, more: true)
            guard outcome == .sent else {
                #expect(identity.array == peer)
                break
            }
            #expect(try pair.bound.send(Message(body)) == .sent)
            sent += 1
        }
        #expect(outcome == .wouldBlock)
        for _ in 0..<sent { #expect(try nextFrames(pair.connected) == [body]) }
    }

    @Test func `row 9: a router says that it does not know a peer, and keeps the message`() throws {
        let router = try Socket(.router, in: Context())
        try router.applyDefaults(frameLimit: 1_000, memoryLimit: 10_000)
        var identity = Message("nobody")
        #expect(try router.send(&identity, more: true) == .unroutable)
        #expect(identity.array == Array("nobody".utf8))
    }

    @Test func `row 11: after a frame past the limit, disconnect and connect bring the stream back`() throws {
        let context = try Context()
        let publisher = try Socket(.xpub, in: context)
        try publisher.set(.xpubVerboser, true)
        try publisher.bind("tcp://127.0.0.1:*")
        let endpoint = try publisher.lastEndpoint()
        let subscriber = try Socket(.sub, in: context)
        try subscriber.applyDefaults(frameLimit: 1_000, memoryLimit: 100_000)
        let monitor = try subscriber.makeMonitor()
        try subscriber.subscribe(to: "")
        try subscriber.connect(endpoint)
        #expect(try nextFrames(publisher) == [[1]])

        try send([[UInt8](repeating: 0, count: 1_001)], on: publisher)
        _ = try nextEvent(of: monitor) { $0 == .disconnected }
        #expect(try nextFrames(publisher) == [[0]])

        try subscriber.disconnect(endpoint)
        try subscriber.connect(endpoint)
        #expect(try nextFrames(publisher) == [[1]])
        try send([[UInt8](repeating: 1, count: 1_000)], on: publisher)
        #expect(try nextFrames(subscriber) == [[UInt8](repeating: 1, count: 1_000)])
    }

    @Test func `row 23: a limit at an XPUB cuts whoever subscribes to something longer, not what is sent`()
        throws
    {
        let context = try Context()
        let publisher = try Socket(.xpub, in: context)
        try publisher.set(.xpubVerboser, true)
        try publisher.set(.maxMessageSize, 4_096)
        try publisher.bind("tcp://127.0.0.1:*")
        let endpoint = try publisher.lastEndpoint()
        let hostile = try Socket(.xsub, in: context)
        let monitor = try hostile.makeMonitor()
        try hostile.connect(endpoint)
        try send([[1] + [UInt8](repeating: 65, count: 4_096)], on: hostile)
        _ = try nextEvent(of: monitor) { $0 == .disconnected }

        let subscriber = try Socket(.sub, in: context)
        try subscriber.subscribe(to: "b")
        try subscriber.connect(endpoint)
        #expect(try nextFrames(publisher) == [[1, 98]])
        let long = [UInt8](repeating: 98, count: 100_000)
        try send([long], on: publisher)
        #expect(try nextFrames(subscriber) == [long])
    }

    @Test func `row 26: a bind without a descriptor left ends the process, unless it needs no look at interfaces`()
        async
    {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            bindWithoutDescriptors { socket throws(ZeroMQError) in try socket.bind("tcp://127.0.0.1:*") }
        }
        await #expect(processExitsWith: .exitCode(7)) {
            bindWithoutDescriptors { socket throws(ZeroMQError) in try socket.bind(toAddress: "127.0.0.1", port: nil) }
        }
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0", "[::1]", "[::]"])
    func `a numeric address is listened at without a look at interfaces, at a port or any`(address: String) throws {
        let context = try Context()
        let server = try Socket(.router, in: context)
        try server.bind(toAddress: address, port: nil)
        let endpoint = try server.lastEndpoint()
        guard case .tcp(_, let port?) = try Endpoint(endpoint) else { throw CaseFailure(endpoint) }
        let second = try Socket(.router, in: context)
        let error = #expect(throws: ZeroMQError.self) { try second.bind(toAddress: address, port: port) }
        #expect(error?.code == .addressInUse)
        let client = try Socket(.dealer, in: context)
        let isSix = address.hasPrefix("[")
        try client.connect("tcp://\(isSix ? "[::1]" : "127.0.0.1"):\(port)")
        try send([[7]], on: client)
        #expect(try nextFrames(server).last == [7])
        try server.unbind(endpoint)
        #expect(throws: ZeroMQError.self) { try second.bind(toAddress: "localhost", port: nil) }
    }

    @Test(arguments: ["tcp://127.0.0.1:*", "ipc"])
    func `row 24: what waits for a peer is held until its connection ends, and to cut that is enough`(
        endpoint: String
    ) throws {
        let folder = try TemporaryDirectory()
        let pair = try Pair(.router, .dealer, at: endpoint == "ipc" ? "ipc://\(folder.path("s"))" : endpoint) {
            socket in
            try socket.set(.receiveHighWaterMark, 1)
            try socket.set(.linger, .zero)
        }
        try send([[1]], on: pair.connected)
        try awaitReadable(pair.bound)
        var message = Message()
        #expect(try pair.bound.receive(into: &message))
        let peer = message.array
        #expect(try pair.bound.receive(into: &message))
        let found = message.connection
        let connection = try #require(found)
        #expect(connection.isOpen)

        let released = DispatchSemaphore(value: 0)
        for _ in 0..<200 {
            _ = try pair.bound.send(Message(peer), more: true)
            let held = HeldMessage([UInt8](repeating: 1, count: 100_000)) { _ in released.signal() }
            _ = try pair.bound.send(held.message())
        }
        // The system takes some of it, and the peer no more than that.
        var count = 0
        while released.wait(timeout: .now() + .milliseconds(200)) == .success { count += 1 }
        #expect(count < 200)
        #expect(connection.cut())
        let deadline = ContinuousClock.now + limit
        while count < 200, ContinuousClock.now < deadline {
            // The socket's own thread has a part in it.
            _ = try pair.bound.receive(into: &message)
            if released.wait(timeout: .now() + .milliseconds(5)) == .success { count += 1 }
        }
        #expect(count == 200)
        #expect(!connection.cut())
    }

    @Test func `row 13: without a ZAP handler CURVE lets in any key, unless the domain is enforced`() throws {
        for isEnforced in [false, true] {
            let context = try Context()
            let serverKeys = try Curve.KeyPair()
            let server = try Socket(.router, in: context)
            try server.set(.curveServer, true)
            try server.set(.curveSecretKey, serverKeys.secretKey)
            try server.set(.zapDomain, "modelcast")
            try server.set(.zapEnforceDomain, isEnforced)
            let monitor = try server.makeMonitor()
            try server.bind("tcp://127.0.0.1:*")

            let client = try Socket(.dealer, in: context)
            let clientKeys = try Curve.KeyPair()
            try client.set(.curvePublicKey, clientKeys.publicKey)
            try client.set(.curveSecretKey, clientKeys.secretKey)
            try client.set(.curveServerKey, serverKeys.publicKey)
            try client.connect(server.lastEndpoint())
            try send("secret", on: client)
            if isEnforced {
                _ = try nextEvent(of: monitor) { event in
                    if case .handshakeFailed = event { true } else { false }
                }
                #expect(try !server.get(.events).contains(.readable))
            } else {
                #expect(try nextFrames(server).last == Array("secret".utf8))
            }
        }
    }

    @Test func `row 17: the longest prefix that is taken does match, a longer one is refused`() throws {
        let pair = try Pair(.xpub, .sub)
        let longest = [UInt8](repeating: 0x61, count: Socket.topicByteCountMax)
        try pair.connected.subscribe(to: longest)
        #expect(try nextFrames(pair.bound) == [[1] + longest])
        try send([longest, [9]], on: pair.bound)
        #expect(try nextFrames(pair.connected) == [longest, [9]])
        let error = #expect(throws: ZeroMQError.self) { try pair.connected.subscribe(to: longest + [0x61]) }
        #expect(error?.code == .invalidArgument)
        try pair.connected.unsubscribe(from: longest)
        #expect(try nextFrames(pair.bound) == [[0] + longest])
    }

    @Test func `row 21: what is no ZMTP passes for messages, and a ZAP domain closes such a connection`() throws {
        for hasDomain in [false, true] {
            let server = try Socket(.router, in: Context())
            if hasDomain { try server.set(.zapDomain, "modelcast") }
            let monitor = try server.makeMonitor()
            try server.bind("tcp://127.0.0.1:*")
            let page = try RawConnection(to: server.lastEndpoint())
            page.send(RawConnection.httpPost(of: [Array("push".utf8)]))
            if hasDomain {
                _ = try nextEvent(of: monitor) { $0 == .disconnected }
                #expect(try !server.get(.events).contains(.readable))
            } else {
                #expect(try nextFrames(server).last == Array("push".utf8))
            }
        }
    }
}

/// Binds a socket where no descriptor is left, and ends the process with 7 where that did not.
private func bindWithoutDescriptors(_ bind: (borrowing Socket) throws(ZeroMQError) -> Void) {
    guard let socket = try? Socket(.router, in: Context()) else { exit(1) }
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }
    while dup(0) >= 0 {}
    try? bind(socket)
    exit(7)
}

/// A publisher made by hand, which sends messages and pings until nobody takes any more, and then resets it.
private enum PingingPeer {
    static let script = """
        import socket, struct, sys, time
        def command(name, body): return bytes([4, len(name) + len(body) + 1, len(name)]) + name + body
        server = socket.socket()
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        print(server.getsockname()[1], flush=True)
        peer = server.accept()[0]
        peer.sendall(b"\\xff" + bytes(8) + b"\\x7f\\x03\\x00NULL" + bytes(48))
        left = 64
        while left: left -= len(peer.recv(left)) or sys.exit()
        peer.sendall(command(b"READY", b"\\x0bSocket-Type" + struct.pack(">I", 3) + b"PUB"))
        peer.settimeout(0.3)
        message, ping = b"\\x00\\x0a" + bytes(10), command(b"PING", bytes(2))
        try:
            while True: peer.sendall((message + ping) * 20)
        except TimeoutError: pass
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        print("closed", flush=True)
        sys.stdin.read()
        """
}

/// Lets a peer fill the queue of a subscriber and go, and then reads all that is there.
private func readAfterPings(by script: String) {
    let peer = Process()
    let (output, input) = (Pipe(), Pipe())
    peer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    peer.arguments = ["python3", "-c", script]
    (peer.standardOutput, peer.standardInput) = (output, input)
    guard (try? peer.run()) != nil else { exit(1) }
    func line() -> String {
        var text = ""
        // A read may end early, with nothing.
        for _ in 0..<1_000 where !text.hasSuffix("\n") {
            text += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        return text.trimmingCharacters(in: .newlines)
    }
    let port = line()
    guard let context = try? Context(), let socket = try? Socket(.sub, in: context),
        (try? socket.set(.receiveHighWaterMark, 2)) != nil, (try? socket.subscribe(to: "")) != nil,
        (try? socket.connect("tcp://127.0.0.1:\(port)")) != nil
    else { exit(2) }
    guard line() == "closed" else { exit(4) }
    var message = Message()
    guard var poller = try? Poller(), (try? poller.add(socket)) != nil else { exit(3) }
    while let ready = try? poller.wait(timeout: .seconds(1)), ready.readyCount > 0 {
        while (try? socket.receive(into: &message)) ?? false {}
    }
}
