@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Models that no single message can carry, because several origins have written to them.
@Suite struct LargeModelTests {
    private static let limits = WireLimits(frameByteCount: 16 << 10, valueByteCount: 12 << 10)

    /// Two publishers that write different fields of one model, each less than a message, and a relay.
    private func network() throws -> RelayNetwork {
        var network = RelayNetwork()
        for name in ["a", "b"] { try network.addOrigin(name) { $0.limits = LargeModelTests.limits } }
        try network.addRelay("relay") { $0.limits = LargeModelTests.limits }
        network.connect(.relay(0), to: .origin(0))
        network.connect(.relay(0), to: .origin(1))
        for origin in 0..<2 {
            for id in 0..<20 { try network.write(origin, "\(id)", ["small": .int(Int64(id))]) }
            var fields: Fields = [:]
            for field in 0..<5 { fields["\(origin)-\(field)"] = text(2_000 + field) }
            try network.write(origin, "large", fields)
        }
        network.run(milliseconds: 6_000)
        let record = try #require(network.relays[0].cache["User", "large"])
        #expect(record.byteCount > 16 << 10)
        return network
    }

    private func text(_ count: Int) -> Value { .text(String(repeating: "x", count: count)) }

    private func isWhole(_ record: CellRecord?) -> Bool { record.map { $0.cellCount == 10 } ?? true }

    @Test func `whoever joins late gets a model that is larger than a message, whole and at once`() throws {
        var network = try network()
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        for _ in 0..<600 {
            network.run(milliseconds: 1)
            #expect(isWhole(network.replicas[0].cache["User", "large"]))
        }
        let isSettled = network.settle()
        #expect(isSettled)
        #expect(network.replicas[0].cache["User", "large"] == network.relays[0].cache["User", "large"])
        #expect(network.relays[0].counters[.unsendableFields] == 0)
    }

    @Test func `each part of a model fits into a message, and any peer may join the parts`() throws {
        var network = try network()
        let record = try #require(network.relays[0].cache["User", "large"])
        for request in [
            ControlRequest.fetch(rid: 1, type: "User", ids: ["large"]),
            .snapshot(rid: 1, prefixes: [.data(type: "User")], credit: 64),
        ] {
            var replies = network.ask(.relay(0), request)
            for _ in 0..<100 where replies.last?.method == "records" {
                replies += network.ask(.relay(0), .credit(rid: 1, count: 64))
            }
            #expect(replies.last?.method == "complete")
            var parts: [CellRecord] = []
            for reply in replies {
                #expect(reply.encode().count <= LargeModelTests.limits.frameByteCount)
                switch reply {
                case .records(_, _, let records): parts += records.filter { $0.id == "large" }
                case .part(_, _, let part): parts.append(part)
                default: break
                }
            }
            #expect(parts.count > 1)
            // As a peer of the first version does it: one after the other.
            let cache = ModelCache()
            for part in parts { cache.commit { $0.join(part, type: "User") } }
            #expect(cache["User", "large"] == record)
        }
    }

    @Test func `a difference in a model that is larger than a message is mended from its bucket`() throws {
        var network = try network()
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        let isSettled = network.settle()
        #expect(isSettled)
        let cache = network.replicas[0].cache
        var half = RecordParts(try #require(cache["User", "large"]))
        let first = half.next(byteCount: 8_000, byteCountMax: 8_000)
        let part = try #require(first)
        cache.commit { $0.overwrite(type: "User", id: "large", with: part) }
        for _ in 0..<20_000 where network.replicas[0].counters[.bucketsFetched] == 0 {
            network.run(milliseconds: 1)
            let count = cache["User", "large"]?.cellCount
            #expect(count == 10 || count == part.cellCount)
        }
        let isMended = network.settle()
        #expect(isMended)
        #expect(isWhole(cache["User", "large"]))
        #expect(network.replicas[0].counters[.digestMismatches] == 1)
    }

    @Test func `a publisher takes back its part of a model that is larger than a message`() throws {
        var network = try network()
        var replies = network.ask(.relay(0), .snapshot(rid: 1, prefixes: [.data(type: "User")], credit: 64))
        for _ in 0..<100 where replies.last?.method == "records" {
            replies += network.ask(.relay(0), .credit(rid: 1, count: 64))
        }
        var origin = try Origin(
            configuration: OriginConfiguration(name: "a", streamEndpoint: "memory"), cache: ModelCache(),
            now: network.now)
        for reply in replies {
            switch reply {
            case .records(_, let type, let records):
                for record in records { origin.adopt(record, type: type, now: network.now) }
            case .part(_, let type, let part): origin.adopt(part, type: type, now: network.now)
            default: break
            }
        }
        #expect(origin.cache["User", "large"] == network.origins[0].cache["User", "large"])
    }

    @Test func `a sender that holds a field larger than a message says so once, and sends everything else`() throws {
        let cache = ModelCache()
        // As a store gives it that was written when messages could be larger.
        var former = try Origin(
            configuration: OriginConfiguration(name: "a", streamEndpoint: "memory"), cache: cache,
            now: Moment(wallMilliseconds: 1_700_000_000_000, uptimeMicroseconds: 1))
        for id in 0..<20 {
            _ = try former.write(
                .merge, type: "User", id: "\(id)", fields: EncodedFields(["n": .int(Int64(id))]),
                now: Moment(wallMilliseconds: 1_700_000_000_001, uptimeMicroseconds: 2))
        }
        _ = try former.write(
            .merge, type: "User", id: "7", fields: EncodedFields(["large": text(5_000)]),
            now: Moment(wallMilliseconds: 1_700_000_000_001, uptimeMicroseconds: 2))
        var configuration = OriginConfiguration(name: "a", streamEndpoint: "memory")
        configuration.limits = WireLimits(frameByteCount: 4_096)
        let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        var origin = try Origin(configuration: configuration, cache: cache, now: now)
        var (ids, notices): (Set<String>, [Notice]) = ([], [])
        for rid in 1...3 as ClosedRange<UInt64> {
            let request = ControlRequest.snapshot(rid: rid, prefixes: [.dataPrefix], credit: 64)
            origin.receive(request.encode().span, from: [1], now: now)
            for action in origin.takeActions() {
                if case .notice(let notice) = action { notices.append(notice) }
                guard case .reply(_, let payload) = action else { continue }
                #expect(payload.count <= 4_096)
                guard case .records(_, _, let records) = try ControlReply(decoding: payload.span) else { continue }
                for record in records {
                    ids.insert(record.id)
                    #expect(record["n"] == record.id.asNumber)
                    #expect(record["large"] == nil)
                }
            }
        }
        #expect(ids.count == 20)
        #expect(origin.counters[.unsendableFields] == 3)
        #expect(notices.map(\.kind) == [.unsendable])
        #expect(notices.first?.metadata["fields"] == "large")
    }

    @Test func `a replica keeps the newest fields of a model that gets more than it may have, and counts the others`()
        throws
    {
        var network = RelayNetwork()
        for name in ["a", "b"] { try network.addOrigin(name) }
        try network.addRelay("relay")
        network.connect(.relay(0), to: .origin(0))
        network.connect(.relay(0), to: .origin(1))
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 6_000)
        for round in 0..<3 {
            for origin in 0..<2 {
                var fields: Fields = [:]
                for field in 0..<1_000 { fields["\(origin)-\(round)-\(field)"] = .int(Int64(round)) }
                try network.write(origin, "wide", fields)
            }
            network.run(milliseconds: 20)
        }
        network.run(milliseconds: 2_000)
        let record = try #require(network.relays[0].cache["User", "wide"])
        #expect(record.cellCount == CellRecord.cellCountMax)
        #expect(record["0-2-0"] == 2)
        #expect(network.replicas[0].cache["User", "wide"] == record)
        #expect(network.relays[0].replica.counters[.droppedCells] == 6_000 - UInt64(CellRecord.cellCountMax))
        // One origin alone is told.
        for round in 3..<5 {
            var fields: Fields = [:]
            for field in 0..<1_000 { fields["0-\(round)-\(field)"] = .int(1) }
            guard round == 4 else {
                try network.write(0, "wide", fields)
                continue
            }
            #expect(throws: WireError.self) { try network.write(0, "wide", fields) }
            // A whole write says all that the model is to have: it takes the place of everything.
            try network.write(0, "wide", fields, as: .assign)
        }
        network.addReplica()
        network.connect(.replica(1), to: .relay(0))
        network.run(milliseconds: 3_000)
        #expect(network.relays[0].cache["User", "wide"]?.cellCount == 1_000)
        #expect(network.replicas[1].cache["User", "wide"] == network.relays[0].cache["User", "wide"])
    }
}

extension String {
    fileprivate var asNumber: Value? { Int64(self).map { .int($0) } }
}
