import ModelRecord
import ModelWire
import TestSupport
import ZeroMQ

@testable import Modelcast

/// What a stranger sends who speaks no ZMTP, an old one, another mechanism, or the beginning of a handshake.
struct StrangerBytes: Sendable {
    /// The first bytes of a client whose key was granted everything: its greeting, and its HELLO to this server.
    let recorded: [UInt8]
    /// The requests that the bytes carry, and the subscriptions.
    let requests: [[UInt8]]

    static let greetingByteCount = 64
    /// A HELLO of CURVE, with the two bytes in front of each command.
    private static let helloByteCount = 202
    private static let subscriptions: [[UInt8]] = [[1], [1] + Array("m/".utf8), [1, 0xFF]]

    /// Records the beginning of a handshake, at a listener that says no more than the greeting of a server.
    init(of keys: Curve.KeyPair, to server: Curve.PublicKey, requests: [[UInt8]]) throws {
        self.requests = requests
        let listener = try RawListener()
        let client = try Socket(.dealer, in: Context())
        try Security.connect(client, keys, to: server)
        try client.connect(listener.endpoint)
        let connection = try listener.accept()
        connection.send(Self.greeting("CURVE", isServer: true))
        recorded = connection.read(byteCount: Self.greetingByteCount + Self.helloByteCount)
        guard recorded.count == Self.greetingByteCount + Self.helloByteCount else {
            throw CaseFailure("no handshake was recorded: \(recorded.count) bytes")
        }
    }

    /// What a server says before it knows a client: its greeting, and a WELCOME of CURVE.
    static let welcomeByteCount = greetingByteCount + 2 + 168

    /// Makes sure that the record is one of a handshake: the server goes as far as it goes with somebody unknown.
    func requireWelcome(at endpoint: String) throws {
        let connection = try RawConnection(to: endpoint)
        connection.send(recorded)
        let said = connection.read(byteCount: Self.welcomeByteCount)
        guard said.count == Self.welcomeByteCount else {
            throw CaseFailure("\(endpoint) says \(said.count) bytes to a recorded handshake")
        }
    }

    /// The greeting of ZMTP 3.1.
    private static func greeting(_ mechanism: String, isServer: Bool = false) -> [UInt8] {
        let name = Array(mechanism.utf8)
        return [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] + name + [UInt8](repeating: 0, count: 20 - name.count)
            + [isServer ? 1 : 0] + [UInt8](repeating: 0, count: 31)
    }

    /// A command of ZMTP 3.
    private static func command(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = [UInt8(name.utf8.count)] + Array(name.utf8) + content
        let isLong = body.count > 255
        return (isLong ? [6, 0, 0, 0, 0, 0, 0] : [4]) + (isLong ? [UInt8(body.count >> 8)] : [])
            + [UInt8(body.count & 255)] + body
    }

    private static func ready(_ kind: String) -> [UInt8] {
        let (property, value) = (Array("Socket-Type".utf8), Array(kind.utf8))
        return command(
            "READY", [UInt8(property.count)] + property + [0, 0, 0, UInt8(value.count)] + value)
    }

    /// The messages that come behind a greeting, each of one frame.
    private func messages(toStream: Bool) -> [UInt8] {
        (toStream ? Self.subscriptions : requests).flatMap { (frame: [UInt8]) -> [UInt8] in
            [0, UInt8(frame.count)] + frame
        }
    }

    // MARK: Sorts

    func randomBytes(_ generator: inout SeededGenerator) -> [UInt8] {
        let noise = [UInt8].random(lengths: 0...600, using: &generator)
        return switch Int.random(in: 0..<4, using: &generator) {
        case 0: noise
        case 1: [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F] + noise
        case 2: Self.greeting("CURVE") + noise
        default: recorded + noise
        }
    }

    func web(toStream: Bool, _ generator: inout SeededGenerator) -> [UInt8] {
        let body = toStream ? Self.subscriptions : requests
        if Bool.random(using: &generator) { return RawConnection.httpPost(of: body) }
        let text = "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com\r\n\r\n"
        return Array(text.utf8) + messages(toStream: toStream)
    }

    /// ZMTP 1.0 without and with its long signature, and ZMTP 2.0 of any kind of socket.
    func oldGreeting(toStream: Bool, _ generator: inout SeededGenerator) -> [UInt8] {
        let body = toStream ? Self.subscriptions : requests
        let first = body.flatMap { (frame: [UInt8]) -> [UInt8] in [UInt8(frame.count + 1), 0] + frame }
        return switch Int.random(in: 0..<3, using: &generator) {
        case 0: [1, 0] + first
        case 1: [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 0] + first
        default:
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, .random(in: 0...10, using: &generator), 0, 0]
                + messages(toStream: toStream)
        }
    }

    func plain(toStream: Bool, _ generator: inout SeededGenerator) -> [UInt8] {
        let (name, word) = (Array("admin".utf8), [UInt8].random(lengths: 0...40, using: &generator))
        let hello = Self.command("HELLO", [UInt8(name.count)] + name + [UInt8(word.count)] + word)
        let initiate = Self.command("INITIATE", [])
        return Self.greeting("PLAIN") + hello + initiate + messages(toStream: toStream)
    }

    /// A client without keys, and one that claims another mechanism, or to be the server, and goes on without keys.
    func withoutKeys(toStream: Bool, _ generator: inout SeededGenerator) -> [UInt8] {
        let mechanism = ["NULL", "NULL", "GSSAPI", "CURVE", "", "null"].randomElement(using: &generator) ?? "NULL"
        return Self.greeting(mechanism, isServer: Bool.random(using: &generator))
            + Self.ready(toStream ? "SUB" : "DEALER") + messages(toStream: toStream)
    }

    /// A handshake that was recorded and ends anywhere, or goes on with what its sender cannot know.
    func cutHandshake(toStream: Bool, _ generator: inout SeededGenerator) -> [UInt8] {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return Array(recorded.prefix(.random(in: 0...recorded.count, using: &generator)))
        case 1: return recorded
        case 2:
            // An INITIATE of its usual size: a cookie and boxes that are none.
            var content = [UInt8](repeating: 0, count: 272)
            for index in content.indices { content[index] = .random(in: 0...255, using: &generator) }
            return recorded + Self.command("INITIATE", content) + messages(toStream: toStream)
        default: return recorded + Self.ready(toStream ? "SUB" : "DEALER") + messages(toStream: toStream)
        }
    }
}
