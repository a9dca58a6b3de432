import ModelSync
import ModelWire
import Testing

/// A sender of another protocol version, as the side that asks sees it.
@Suite struct VersionMismatchTests {
    /// What a sender may answer to the hello of version 1.
    enum Answer: CaseIterable {
        case error
        case welcome

        func reply(_ rid: UInt64) -> ControlReply {
            switch self {
            case .error:
                .error(
                    rid: rid, code: .version, message: "this publisher speaks version 2, not 1; update the older side")
            case .welcome:
                .welcome(
                    rid: rid, version: 2, name: "newer", streamEndpoint: "memory", heartbeatMilliseconds: 500,
                    frameLimit: 1 << 20, heads: [])
            }
        }
    }

    @Test(arguments: Answer.allCases)
    func `another version is told once with what to do, however often the sender is asked`(answer: Answer) throws {
        var wire = try Wire()
        wire.answer = { request, _ in
            guard case .hello(let rid, _, _, _) = request else { return [] }
            return [answer.reply(rid)]
        }
        for _ in 0..<5 {
            wire.replica.connected(wire.sender, now: wire.now)
            try wire.pass(milliseconds: 20_000)
        }
        #expect(wire.requests.count >= 10)
        #expect(wire.replica.state(of: wire.sender) == .connecting)
        let notices = wire.notices.filter { $0.kind == .versionMismatch }
        #expect(notices.count == 1, "\(wire.notices)")
        #expect(notices.first?.metadata["message"]?.contains("update the older side") == true)
        let status = try #require(wire.replica.senderStatus(now: wire.now).first)
        #expect(status.lastError?.contains("version 2") == true)

        // It is exchanged for one of this version.
        wire.answer = nil
        try wire.becomeLive()
        #expect(wire.replica.senderStatus(now: wire.now).first?.lastError == nil)
    }

    @Test func `a replica of another version is refused with what to do`() throws {
        var wire = try Wire()
        let hello = ControlRequest.hello(rid: 7, version: 2, name: "newer", prefixes: []).encode()
        wire.origin.receive(hello.span, from: [9], now: wire.now)
        let replies = try wire.origin.takeActions().compactMap { action -> ControlReply? in
            guard case .reply([9], let payload) = action else { return nil }
            return try ControlReply(decoding: payload.span)
        }
        guard case .error(7, .version, let message) = try #require(replies.first) else {
            Issue.record("\(replies)")
            return
        }
        #expect(message == "this publisher speaks version 1, not 2; update the older side")
        #expect(wire.origin.connectedPeers.allSatisfy { $0.name.isEmpty && $0.report == nil })
    }
}
