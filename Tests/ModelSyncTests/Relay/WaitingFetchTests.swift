@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// A subscriber that answers others, and brings back for them what has left its copy.
struct WaitingFetchTests {
    /// An origin with a hundred models, and a subscriber of it that takes nothing by itself.
    private static func network() throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        var limits = CacheLimits()
        limits.prefetch = .none
        let cache = ModelCache(limits: limits)
        try network.addRelay("subscriber", cache: cache) { configuration in
            configuration.role = .subscriber
            configuration.settleTime = .zero
            configuration.replayByteCount = 0
        }
        network.connect(.relay(0), to: .origin(0))
        for number in 0..<100 { try network.write(0, "\(number)", ["a": .int(Int64(number))]) }
        network.run(milliseconds: 1_000)
        return network
    }

    private static func fetch(_ rid: UInt64, _ ids: [String], milliseconds: UInt64 = 5_000) -> ControlRequest {
        .fetchBack(rid: rid, type: "User", ids: ids, milliseconds: milliseconds)
    }

    /// The ids of the records that came for a request, and whether its answer is complete.
    private static func answer(
        _ rid: UInt64, in network: RelayNetwork, of peer: [UInt8] = [99]
    ) -> (ids: [String], isComplete: Bool) {
        var answer: (ids: [String], isComplete: Bool) = ([], false)
        for (asker, reply) in network.replies where reply.rid == rid && asker == peer {
            switch reply {
            case .records(_, _, let records): answer.ids += records.map(\.id)
            case .complete: answer.isComplete = true
            default: break
            }
        }
        return answer
    }

    @Test func `what has left the copy is brought back before the answer`() throws {
        var network = try WaitingFetchTests.network()
        #expect(network.ask(.relay(0), WaitingFetchTests.fetch(1, ["7", "9", "none"])).isEmpty)
        network.run(milliseconds: 500)
        let answer = WaitingFetchTests.answer(1, in: network)
        #expect(answer.ids.sorted() == ["7", "9"] && answer.isComplete)
        #expect(!network.replies.contains { if case .evicted = $0.reply { true } else { false } })
        // What is here is answered at once, and what nobody asks to be brought back as well.
        let here = network.ask(.relay(0), WaitingFetchTests.fetch(2, ["7"]))
        #expect(here.contains { if case .records = $0 { true } else { false } })
        let left = network.ask(.relay(0), .fetch(rid: 3, type: "User", ids: ["8"]))
        #expect(left.contains { if case .evicted(_, _, ["8"]) = $0 { true } else { false } })
    }

    @Test func `an answer comes in time, with what has not come back`() throws {
        var network = try WaitingFetchTests.network()
        network.dead.insert(.origin(0))
        #expect(network.ask(.relay(0), WaitingFetchTests.fetch(1, ["7"], milliseconds: 200)).isEmpty)
        network.run(milliseconds: 150)
        #expect(network.replies.isEmpty)
        network.run(milliseconds: 100)
        #expect(WaitingFetchTests.answer(1, in: network) == ([], true))
        #expect(network.replies.contains { if case .evicted(1, "User", ["7"]) = $0.reply { true } else { false } })
    }

    @Test func `one peer makes a copy bring back only so much at a time, and another is served beside it`() throws {
        var network = try WaitingFetchTests.network()
        network.dead.insert(.origin(0))
        var refused = 0
        for rid in 1...UInt64(20) {
            for reply in network.ask(.relay(0), WaitingFetchTests.fetch(rid, ["\(rid)"])) {
                if case .error(_, .busy, _) = reply { refused += 1 }
            }
        }
        #expect(refused == 12)
        #expect(network.ask(.relay(0), WaitingFetchTests.fetch(1, ["50"]), from: [98]).isEmpty)
        // A request that is cancelled leaves room, and so does a peer that has gone.
        _ = network.ask(.relay(0), .cancel(rid: 3))
        #expect(network.ask(.relay(0), WaitingFetchTests.fetch(30, ["50"])).isEmpty)
        network.relays[0].disconnected([99])
        #expect(network.ask(.relay(0), WaitingFetchTests.fetch(31, ["50"])).isEmpty)
    }

    @Test func `many peers that let fetches wait keep no other from being served`() throws {
        var network = try WaitingFetchTests.network()
        network.dead.insert(.origin(0))
        for peer in UInt8(1)...60 {
            for rid in UInt64(1)...8 {
                let ids = (0..<64).map { "\(peer)-\(rid)-\($0)" }
                // Beyond the room of all, those who have the most get what is there.
                _ = network.ask(.relay(0), WaitingFetchTests.fetch(rid, ids), from: [peer])
            }
        }
        network.dead.remove(.origin(0))
        #expect(network.ask(.relay(0), WaitingFetchTests.fetch(1, ["7"]), from: [99]).isEmpty)
        network.replies = []
        network.run(milliseconds: 4_000)
        #expect(WaitingFetchTests.answer(1, in: network, of: [99]) == (["7"], true))
    }
}
