import ModelRecord
import ModelSync
import ModelWire
import Testing

@Suite struct FlushTests {
    private typealias Sent = (topic: Topic, payload: [UInt8])

    /// Writes of which some are in batches that are closed already, as those of a transaction are.
    private func origin(hasTransaction: Bool) throws -> Origin {
        var wire = try Wire()
        if hasTransaction {
            var writes = WriteBatch(limits: .default)
            for type in ["Account", "Audit"] { try writes.append(.merge, type: type, id: "1", fields: ["n": 1]) }
            _ = try wire.origin.transaction(writes, now: wire.now)
        }
        try wire.write("User", "1", ["n": 1])
        try wire.write("Account", "2", ["n": 2])
        return wire.origin
    }

    private func take(_ origin: inout Origin) -> [Sent] {
        var sent: [Sent] = []
        origin.flush { topic, payload in sent.append((topic, payload)) }
        return sent
    }

    @Test(arguments: [false, true])
    func `a flush that sends at once sends what the actions would have been, in order`(hasTransaction: Bool) throws {
        var (atOnce, byActions) = (
            try origin(hasTransaction: hasTransaction), try origin(hasTransaction: hasTransaction)
        )
        let sent = take(&atOnce)
        byActions.flush()
        var expected: [Sent] = []
        for case .publish(let topic, let payload) in byActions.takeActions() { expected.append((topic, payload)) }
        #expect(expected.count == (hasTransaction ? 4 : 2))
        #expect(sent.map(\.topic) == expected.map(\.topic))
        #expect(sent.map(\.payload) == expected.map(\.payload))
        #expect(!atOnce.hasActions && !atOnce.hasOpenBatch && atOnce.pendingByteCount == 0)
        #expect(atOnce.counters[.publishedBatches] == byActions.counters[.publishedBatches])
    }

    @Test func `a flush that sends at once leaves a reply, and all behind it, to the owner`() throws {
        var origin = try origin(hasTransaction: false)
        let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1_000_000)
        let hello = ControlRequest.hello(rid: 1, version: 1, name: "peer", prefixes: [])
        origin.receive(hello.encode().span, from: [1], now: now)
        #expect(take(&origin).count == 2, "the hello has closed both batches, and its answer comes behind them")
        let fields = try EncodedFields(["n": 3])
        _ = try origin.write(.merge, type: "User", id: "2", fields: fields, now: now)
        #expect(take(&origin).isEmpty)
        #expect(origin.hasOpenBatch)
        let left = origin.takeActions()
        guard case .reply? = left.first, left.count == 1 else {
            Issue.record("what is left should be the answer: \(left)")
            return
        }
    }
}
