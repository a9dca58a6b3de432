import Testing
import ZeroMQ

@Suite struct DefaultsTests {
    private func made(_ kind: Socket.Kind, frameLimit: Int = 1_000, memoryLimit: Int = 50_000) throws -> Socket {
        let socket = try Socket(kind, in: Context())
        try socket.applyDefaults(frameLimit: frameLimit, memoryLimit: memoryLimit)
        return socket
    }

    @Test func `every kind has bounded queues, a frame limit and no linger (rows 11, 12 and 18)`() throws {
        for kind in Socket.Kind.allCases {
            let socket = try made(kind)
            #expect(try socket.get(.receiveHighWaterMark) == 50)
            #expect(try socket.get(.sendHighWaterMark) == ([.sub, .xsub].contains(kind) ? 0 : 50))
            #expect(try socket.get(.maxMessageSize) == 1_000)
            #expect(try socket.get(.linger) == .zero)
            #expect(try socket.get(.immediate) == false)
            #expect(try socket.get(.handshakeInterval) == .seconds(3))
            #expect(try socket.get(.tcpMaxRetransmitTimeout) == .seconds(5))
        }
    }

    @Test func `row 12: what connects backs off`() throws {
        for kind in [Socket.Kind.sub, .xsub, .dealer, .req, .push, .pull] {
            let socket = try made(kind)
            #expect(try socket.get(.reconnectInterval) == .milliseconds(50))
            #expect(try socket.get(.reconnectIntervalMax) == .seconds(2))
            #expect(try socket.get(.connectTimeout) == .seconds(2))
        }
    }

    @Test func `row 4: a peer that is unplugged is noticed, whether it is sent anything or not`() throws {
        for kind in Socket.Kind.allCases where kind != .pair {
            let socket = try made(kind)
            #expect(try socket.get(.tcpMaxRetransmitTimeout) == .seconds(5))
            #expect(try socket.get(.tcpKeepalive) == true)
            #expect(try socket.get(.tcpKeepaliveIdle) == .seconds(10))
            #expect(try socket.get(.tcpKeepaliveInterval) == .seconds(5))
            #expect(try socket.get(.tcpKeepaliveCount) == 3)
        }
        for kind in [Socket.Kind.xpub, .pub, .router, .rep] { #expect(try made(kind).get(.backlog) == 1024) }
    }

    @Test func `a queue holds at least two messages and never more than libzmq can count`() throws {
        let small = try made(.router, frameLimit: 1_000, memoryLimit: 1_000)
        #expect(try small.get(.receiveHighWaterMark) == 2)
        let large = try made(.router, frameLimit: 1, memoryLimit: .max)
        #expect(try large.get(.receiveHighWaterMark) == Int(Int32.max))
    }
}
