import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// A replica that hands on what it takes: the inner half of a relay.
@Suite struct PushTests {
    private struct Batch {
        let topic: Topic
        let payload: [UInt8]
    }

    private let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1_000_000)

    private func makeReplica() -> Replica {
        Replica(
            configuration: ReplicaConfiguration(name: "relay", forwardsBatches: true), cache: ModelCache(), now: now,
            seed: 1)
    }

    /// Batches of one update each, from sequence 1 on.
    private func batches(_ count: Int, after seen: UInt64 = 0) throws -> [Batch] {
        var origin = try Wire.makeOrigin(after: seen)
        var result: [Batch] = []
        for id in 1...count {
            _ = try origin.write(
                .merge, type: "User", id: "\(id)", fields: try EncodedFields(["age": 1]), now: now)
            origin.flush()
            for case .publish(let topic, let payload) in origin.takeActions() {
                result.append(Batch(topic: topic, payload: payload))
            }
        }
        return result
    }

    private func push(_ batch: Batch, to replica: Replica) -> PushArrival {
        replica.receivePushed(topic: batch.topic.bytes.span, payload: batch.payload.span, now: now)
    }

    private func forwarded(_ replica: Replica) -> [UInt64] {
        replica.takeActions().compactMap { action in
            guard case .forward(_, _, _, _, let sequence) = action else { return nil }
            return sequence
        }
    }

    @Test func `pushed batches in order are merged and handed on`() throws {
        let replica = makeReplica()
        for batch in try batches(3) { #expect(push(batch, to: replica) == .accepted) }
        #expect(replica.cache.count(of: "User") == 3)
        #expect(forwarded(replica) == [1, 2, 3])
    }

    @Test func `a pushed batch that comes again is a duplicate and is not handed on again`() throws {
        let replica = makeReplica()
        let batches = try batches(2)
        #expect(push(batches[0], to: replica) == .accepted)
        #expect(push(batches[0], to: replica) == .duplicate)
        #expect(forwarded(replica) == [1])
    }

    @Test func `a pushed batch that is not the next is refused with the sequence that is`() throws {
        let replica = makeReplica()
        let batches = try batches(3)
        guard case .refused(_, let first) = push(batches[1], to: replica) else {
            throw CaseError("a stream that begins with 2 was accepted")
        }
        #expect(PushArrival.expectedSequence(in: first) == 1)
        _ = push(batches[0], to: replica)
        guard case .refused(_, let second) = push(batches[2], to: replica) else {
            throw CaseError("a hole was accepted")
        }
        #expect(PushArrival.expectedSequence(in: second) == 2)
        #expect(replica.cache.count(of: "User") == 1)
        #expect(forwarded(replica) == [1])
    }

    @Test func `a pushed new incarnation begins with 1 and closes the older one`() throws {
        let replica = makeReplica()
        let old = try batches(2)
        let new = try batches(2, after: (1_800_000_000_000 << 16) + (1 << 20))
        #expect(push(old[0], to: replica) == .accepted)
        guard case .refused = push(new[1], to: replica) else { throw CaseError("began with 2") }
        #expect(push(new[0], to: replica) == .accepted)
        guard case .refused(.denied, _) = push(old[1], to: replica) else { throw CaseError("the old goes on") }
        // There is nobody to ask for a snapshot.
        replica.tick(now: now)
        #expect(forwarded(replica) == [1, 1])
    }

    @Test func `pushed bytes that are no batch are refused`() {
        let replica = makeReplica()
        for bytes in [[], [0x80], Array("rubbish".utf8)] as [[UInt8]] {
            let batch = Batch(topic: .data(type: "User"), payload: bytes)
            guard case .refused(.malformed, _) = push(batch, to: replica) else {
                Issue.record("accepted \(bytes)")
                return
            }
        }
        #expect(replica.counters[.malformedFrames] == 3)
    }

    @Test func `a relay hands each batch of a stream on once, in the order of arrival`() throws {
        var wire = try Wire(forwardsBatches: true)
        try wire.becomeLive()
        for id in 1...3 {
            try wire.write("User", "\(id)", ["age": 1])
            wire.flush()
        }
        wire.stream.append(wire.stream[0])
        let payloads = wire.stream.map(\.payload)
        wire.deliver(1)
        wire.deliverAll()
        try wire.exchange()
        #expect(wire.forwarded.map(\.payload) == [payloads[1], payloads[0], payloads[2]])
    }
}

struct CaseError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
