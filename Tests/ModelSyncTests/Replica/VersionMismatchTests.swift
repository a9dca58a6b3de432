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

    @Test func `a replica of an older version is refused with what to do`() throws {
        var wire = try Wire(originVersions: ProtocolVersions(2...3))
        let hello = ControlRequest.hello(rid: 7, version: 1, name: "older", prefixes: []).encode()
        wire.origin.receive(hello.span, from: [9], now: wire.now)
        let replies = try wire.origin.takeActions().compactMap { action -> ControlReply? in
            guard case .reply([9], let payload) = action else { return nil }
            return try ControlReply(decoding: payload.span)
        }
        guard case .error(7, .version, let message) = try #require(replies.first) else {
            Issue.record("\(replies)")
            return
        }
        #expect(message == "this publisher speaks version 2 to 3, not 1; update the older side")
        #expect(wire.origin.connectedPeers.allSatisfy { $0.name.isEmpty && $0.report == nil })
    }

    private static let ranges = (1...3 as ClosedRange<UInt64>).flatMap { oldest in
        (oldest...3).map { ProtocolVersions(oldest...$0) }
    }

    /// The versions that the replica has asked for, in order.
    private func asked(_ wire: Wire) -> [UInt64] {
        wire.requests.compactMap { if case .hello(_, let version, _, _) = $0 { version } else { nil } }
    }

    @Test(arguments: ranges, ranges)
    func `two sides work in the newest version that both speak, and refuse each other where there is none`(
        replica: ProtocolVersions, sender: ProtocolVersions
    ) throws {
        var wire = try Wire(versions: replica, originVersions: sender)
        wire.replica.connected(wire.sender, now: wire.now)
        try wire.exchange()
        wire.deliverAll()
        try wire.exchange()
        let isPossible = replica.newest >= sender.oldest && sender.newest >= replica.oldest
        #expect((wire.replica.state(of: wire.sender) == .live) == isPossible)
        if isPossible { #expect(asked(wire) == [replica.newest]) }
        #expect(wire.notices.contains { $0.kind == .versionMismatch } != isPossible)
    }

    @Test func `a sender of a release that refuses later versions is asked for the version before`() throws {
        var wire = try Wire(versions: ProtocolVersions(1...3))
        wire.answer = { request, _ in
            guard case .hello(let rid, let version, _, _) = request, version != 1 else { return nil }
            return [.error(rid: rid, code: .version, message: "this publisher speaks version 1, not \(version)")]
        }
        try wire.becomeLive()
        #expect(asked(wire) == [3, 2, 1])
        #expect(!wire.notices.contains { $0.kind == .versionMismatch })
        // After it was exchanged for a newer one the newest is asked for again.
        wire.answer = nil
        wire.replica.disconnected(wire.sender, reason: "exchanged", now: wire.now)
        wire.replica.connected(wire.sender, now: wire.now)
        try wire.exchange()
        #expect(asked(wire) == [3, 2, 1, 3])
    }
}
