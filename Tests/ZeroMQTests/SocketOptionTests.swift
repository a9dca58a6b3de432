import Foundation
import Testing
import ZeroMQ

@Suite struct SocketOptionTests {
    static let indices = SocketOptions.all.indices

    @Test(arguments: indices) func `every option of the table can be set and read back`(index: Int) throws {
        try roundTrip(SocketOptions.all[index])
    }

    /// Every sample of a readable option comes back; a write-only one is accepted; a read-only one is told.
    private func roundTrip(_ entry: some AnySocketOption) throws {
        let option = entry.option
        let socket = try Socket(#require(option.kinds.first), in: Context())
        switch option.access {
        case .readOnly:
            _ = try socket.get(option)
        case .readWrite:
            try #require(!option.coding.samples.isEmpty, "\(option.name) has no samples")
            for sample in option.coding.samples {
                try socket.set(option, sample)
                let value = try socket.get(option)
                #expect(value == sample, "\(option.name)")
            }
        case .writeOnly:
            for sample in option.coding.samples { try socket.set(option, sample) }
            #expect(throws: ZeroMQError.self) { try socket.get(option) }
        }
    }

    @Test func `the table lists every option once`() throws {
        let names = SocketOptions.all.map { $0.name }
        #expect(Set(names).count == names.count)
        let source = try String(contentsOfFile: sourceFile("Socket/SocketOptions.swift"), encoding: .utf8)
        let members = source.components(separatedBy: "public static var ").count - 1
        #expect(members == names.count)
    }

    @Test func `options that lose or destroy in silence are absent (rows 2, 3, 7, 10 and 25)`() {
        let names = Set(SocketOptions.all.map { $0.name })
        for name in [
            "ZMQ_XPUB_NODROP", "ZMQ_CONFLATE", "ZMQ_XPUB_WELCOME_MSG", "ZMQ_HEARTBEAT_IVL", "ZMQ_HEARTBEAT_TIMEOUT",
            "ZMQ_HEARTBEAT_TTL", "ZMQ_ROUTER_HANDOVER", "ZMQ_XPUB_MANUAL",
        ] {
            #expect(!names.contains(name))
        }
    }

    @Test func `a value out of range names the option and the value`() throws {
        let socket = try Socket(.dealer, in: Context())
        let error = #expect(throws: ZeroMQError.self) { try socket.set(.sendHighWaterMark, -1) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains("ZMQ_SNDHWM = -1") == true)
        #expect(throws: ZeroMQError.self) { try socket.set(.linger, .seconds(-1)) }
        #expect(throws: ZeroMQError.self) { try socket.set(.linger, .seconds(3_000_000)) }
        #expect(throws: ZeroMQError.self) { try socket.set(.maxMessageSize, -2) }
        #expect(throws: ZeroMQError.self) { try socket.set(.routingID, []) }
        #expect(throws: ZeroMQError.self) { try socket.set(.routingID, [0, 1]) }
        #expect(throws: ZeroMQError.self) { try socket.set(.zapDomain, "a\0b") }
    }

    @Test func `an option of another kind, or of the other direction, is refused`() throws {
        let socket = try Socket(.dealer, in: Context())
        #expect(throws: ZeroMQError.self) { try socket.set(.xpubVerboser, true) }
        #expect(throws: ZeroMQError.self) { try socket.set(.lastEndpoint, "tcp://x") }
        #expect(throws: ZeroMQError.self) { try socket.get(.routerMandatory) }
    }

    @Test func `times are rounded up, so that a short one is never zero`() throws {
        let socket = try Socket(.dealer, in: Context())
        try socket.set(.linger, .microseconds(1))
        #expect(try socket.get(.linger) == .milliseconds(1))
        try socket.set(.tcpKeepaliveIdle, .milliseconds(1001))
        #expect(try socket.get(.tcpKeepaliveIdle) == .seconds(2))
    }

    @Test func `a secret key shows in no error and no description`() throws {
        let pair = try Curve.KeyPair()
        let socket = try Socket(.sub, in: Context())
        try socket.set(.curveSecretKey, pair.secretKey)
        #expect(!"\(pair) \(pair.secretKey)".contains(pair.secretKey.z85))
        var dumped = ""
        dump(pair.secretKey, to: &dumped)
        #expect(dumped == "- secret key\n")
    }
}

/// A file of the target's source, wherever the package lies.
func sourceFile(_ name: String, file: String = #filePath) -> String {
    let tests = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
    return tests.deletingLastPathComponent().appending(path: "Sources/ZeroMQ/\(name)").path
}
