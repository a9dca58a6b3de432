import Foundation
import Testing
import ZeroMQ

@Suite struct SocketTests {
    @Test func `a wildcard port is resolved by the last endpoint`() throws {
        let socket = try Socket(.router, in: Context())
        #expect(try socket.lastEndpoint() == "")
        try socket.bind("tcp://127.0.0.1:*")
        let endpoint = try Endpoint(socket.lastEndpoint())
        #expect(!endpoint.isWildcard)
    }

    @Test func `ipc works in a folder of its own`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "modelcast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pair = try Pair(.pair, .pair, at: "ipc://\(folder.path)/s")
        try send("hello", on: pair.connected)
        #expect(try nextText(pair.bound) == "hello")
    }

    @Test func `a port that is taken is told with the endpoint and what to do`() throws {
        let context = try Context()
        let first = try Socket(.pair, in: context)
        try first.bind("tcp://127.0.0.1:*")
        let endpoint = try first.lastEndpoint()
        let second = try Socket(.pair, in: context)
        do {
            try second.bind(endpoint)
            Issue.record("two sockets on one port")
        } catch {
            #expect(error.code == .addressInUse)
            #expect(error.call == "zmq_bind")
            #expect(error.detail == endpoint)
            #expect(error.description.contains(endpoint) && error.description.contains("choose another port"))
        }
    }

    @Test(arguments: [
        ("tcp://127.0.0.1", ZeroMQError.Code.invalidArgument), ("nonsense", .invalidArgument),
        ("carrier://pigeon", .protocolNotSupported), ("tcp://no-such-device:7000", .noSuchDevice),
        ("ipc:///nowhere/at/all/s", .noSuchFile), ("ipc://" + String(repeating: "x", count: 200), .nameTooLong),
    ])
    func `an endpoint that cannot be bound is told by kind`(endpoint: String, code: ZeroMQError.Code) throws {
        let socket = try Socket(.pair, in: Context())
        do {
            try socket.bind(endpoint)
            Issue.record("bound \(endpoint)")
        } catch {
            #expect(error.code == code)
            #expect(error.detail == endpoint)
        }
    }

    @Test func `disconnecting what was never connected is an error`() throws {
        let socket = try Socket(.sub, in: Context())
        let error = #expect(throws: ZeroMQError.self) { try socket.disconnect("tcp://127.0.0.1:7000") }
        #expect(error?.code == .noSuchFile)
    }

    @Test func `after unbind the endpoint is free`() throws {
        let context = try Context()
        let first = try Socket(.pair, in: context)
        try first.bind("inproc://here")
        try first.unbind("inproc://here")
        let second = try Socket(.pair, in: context)
        try second.bind("inproc://here")
        #expect(try second.lastEndpoint() == "inproc://here")
    }

    @Test func `an empty socket has nothing to receive and says so without waiting`() throws {
        let pair = try Pair(.pair, .pair)
        let isNil = try pair.bound.receive() == nil
        #expect(isNil)
        var message = Message("left over")
        let isHere = try pair.bound.receive(into: &message)
        #expect(!isHere)
        #expect(message.byteCount == 0)
    }

    @Test func `frames keep their order and their ends`() throws {
        let pair = try Pair(.pair, .pair)
        let messages: [[[UInt8]]] = [[[1]], [[], [2]], [[3], [4, 5], [6]]]
        for frames in messages { try send(frames, on: pair.connected) }
        for frames in messages { #expect(try nextFrames(pair.bound) == frames) }
    }

    @Test func `a message that would block is still there`() throws {
        let lonely = try Socket(.push, in: Context())
        var message = Message("keep me")
        let outcome = try lonely.send(&message)
        #expect(outcome == .wouldBlock)
        #expect(message.array == Array("keep me".utf8))
        #expect(try lonely.send(Message("lose me")) == .wouldBlock)
    }

    @Test func `a message that was sent leaves an empty variable`() throws {
        let pair = try Pair(.pair, .pair, at: "inproc://a")
        var message = Message("gone")
        #expect(try pair.bound.send(&message) == .sent)
        #expect(message.byteCount == 0)
        #expect(try nextText(pair.connected) == "gone")
    }

    @Test func `what a kind cannot do is an error, not an outcome`() throws {
        let context = try Context()
        let sub = try Socket(.sub, in: context)
        let sending = #expect(throws: ZeroMQError.self) { try sub.send(Message("x")) }
        #expect(sending?.code == .notSupportedBySocket)
        let pub = try Socket(.pub, in: context)
        let receiving = #expect(throws: ZeroMQError.self) { _ = try pub.receive() == nil }
        #expect(receiving?.code == .notSupportedBySocket)
    }

    @Test func `a request without its reply is the wrong state`() throws {
        let pair = try Pair(.rep, .req)
        try send("one", on: pair.connected)
        let error = #expect(throws: ZeroMQError.self) { try pair.connected.send(Message("two")) }
        #expect(error?.code == .wrongState)
        #expect(try nextText(pair.bound) == "one")
        try send("reply", on: pair.bound)
        #expect(try nextText(pair.connected) == "reply")
    }

    @Test func `every kind opens, tells its type, and closes`() throws {
        let context = try Context()
        for kind in Socket.Kind.allCases {
            let socket = try Socket(kind, in: context)
            #expect(try socket.get(.type) == kind)
            socket.close()
        }
    }

    @Test func `a socket keeps its context alive`() throws {
        weak var watched: Context?
        do {
            let pair = try Pair(.pair, .pair)
            var context: Context? = try Context()
            watched = context
            let socket = try Socket(.pair, in: context!)
            context = nil
            #expect(watched != nil)
            try socket.bind("tcp://127.0.0.1:*")
            try send("x", on: pair.connected)
            #expect(try nextText(pair.bound) == "x")
        }
        #expect(watched == nil)
    }

    @Test func `the socket limit is an error, and closing makes room`() throws {
        let context = try Context(maxSockets: 2)
        let first = try Socket(.pair, in: context)
        let second = try Socket(.pair, in: context)
        let error = #expect(throws: ZeroMQError.self) { _ = try Socket(.pair, in: context).kind }
        #expect(error?.code == .tooManyOpenFiles)
        first.close()
        second.close()
    }

    @Test func `context limits out of range are refused`() {
        #expect(throws: ZeroMQError.self) { try Context(ioThreads: -1) }
        #expect(throws: ZeroMQError.self) { try Context(maxSockets: 1 << 40) }
    }

    @Test func `closing with a linger still delivers`() throws {
        let context = try Context()
        let receiver = try Socket(.pull, in: context)
        try receiver.bind("tcp://127.0.0.1:*")
        let sender = try Socket(.push, in: context)
        try sender.connect(receiver.lastEndpoint())
        for number in 0..<100 { try send("\(number)", on: sender) }
        sender.close(linger: .seconds(20))
        for number in 0..<100 { #expect(try nextText(receiver) == "\(number)") }
    }

    @Test func `closing without a linger never holds up the end of the context`() throws {
        let context = try Context()
        let sender = try Socket(.push, in: context)
        // Nobody is there: the message stays queued until the socket closes.
        try sender.connect("ipc:///nowhere/at/all/s")
        try send("never", on: sender)
        #expect(try sender.get(.linger) == .zero)
        sender.close()
    }
}
