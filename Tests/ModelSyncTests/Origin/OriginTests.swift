@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

@Suite struct OriginTests {
    @Test func `deletes are forgotten when their time is over, and nothing else`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin") { $0.tombstoneRetention = .seconds(10) }
        for id in ["kept", "deleted", "young"] { try network.write(0, id, ["age": 1]) }
        try network.write(0, "deleted", as: .delete)
        network.run(milliseconds: 8_000)
        try network.write(0, "young", as: .delete)
        #expect(network.origins[0].cache.tombstoneCount(of: "User") == 2)
        let digest = network.origins[0].cache.digest(of: "User")
        network.run(milliseconds: 9_000)
        #expect(network.origins[0].cache.tombstoneCount(of: "User") == 1)
        #expect(network.origins[0].counters[.tombstonesDropped] == 1)
        #expect(network.origins[0].cache.digest(of: "User") == digest)
        network.run(milliseconds: 20_000)
        #expect(network.origins[0].cache.tombstoneCount(of: "User") == 0)
        #expect(network.origins[0].cache.count(of: "User") == 1)
    }

    @Test func `removed fields are forgotten when their time is over, and digests do not change`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin") { $0.tombstoneRetention = .seconds(10) }
        try network.write(0, "1", ["kept": 1, "removed": 1, "young": 1])
        try network.write(0, "1", ["removed": .undefined])
        network.run(milliseconds: 8_000)
        try network.write(0, "1", ["young": .undefined])
        let cache = network.origins[0].cache
        let digest = cache.digest(of: "User")
        #expect(cache["User", "1"]?.removedFieldCount == 2)
        network.run(milliseconds: 6_000)
        #expect(cache["User", "1"]?.cells.map(\.field).sorted() == ["kept", "young"])
        network.run(milliseconds: 20_000)
        #expect(cache["User", "1"]?.cells.map(\.field) == ["kept"])
        #expect(cache.digest(of: "User") == digest)
    }

    @Test func `10,000 states of a model all of whose field names change pass, and it stays small`() throws {
        var wire = try Wire()
        let value = Value.text(String(repeating: "x", count: 1_000))
        func state(_ number: Int) -> Fields {
            var fields: Fields = ["number": .int(Int64(number))]
            for index in 0..<30 { fields["session-\(number)-\(index)"] = value }
            return fields
        }
        var largest = 0
        for number in 0..<10_000 {
            guard case .published = try wire.write("T", "1", state(number), as: .assign) else {
                Issue.record("state \(number) was not published")
                return
            }
            wire.flush()
            // Late: most of it was sent to nobody.
            if number == 9_700 { try wire.becomeLive() }
            wire.deliverAll()
            wire.sent = [:]
            largest = max(largest, wire.origin.cache["T", "1"]?.byteCount ?? 0)
        }
        #expect(largest < 50_000)
        #expect(wire.areEqual && wire.replica.state(of: wire.sender) == .live)
        for cache in [wire.origin.cache, wire.replica.cache] {
            let record = try #require(cache["T", "1"])
            #expect(record.values.count == 31 && record["number"] == 9_999)
            #expect(record.removedFieldCount <= 64)
        }
    }

    @Test func `an assignment past what an update or a frame may have becomes a replace`() throws {
        var wire = try Wire(limits: WireLimits(frameByteCount: 40_000, fieldCount: 100))
        try wire.becomeLive()
        func state(_ prefix: String, _ count: Int, _ size: Int) -> Fields {
            var fields: Fields = [:]
            for index in 0..<count {
                fields["\(prefix)\(index)"] = .text(String(repeating: "x", count: size))
            }
            return fields
        }
        // 30 of this model's fields and 80 removed ones would be in one update; then 60 KB in one record.
        for (prefix, count, size) in [("a", 80, 1), ("b", 30, 1), ("c", 30, 1_000), ("d", 30, 1_000)] {
            try wire.write("T", "1", state(prefix, count, size), as: .assign)
            wire.flush()
            wire.deliverAll()
            #expect(wire.replica.cache["T", "1"]?.values.count == count)
            #expect(wire.areEqual)
        }
        #expect(wire.replica.counters[.refusedUpdates] == 0)
    }

    @Test func `how far stamps may lie ahead has a ceiling of a day`() {
        let day = Duration.seconds(24 * 3600)
        var origin = OriginConfiguration(name: "o", streamEndpoint: "", clockLeadMax: .seconds(1_000_000))
        #expect(origin.clockLeadMax == day)
        origin.clockLeadMax = .seconds(60)
        #expect(origin.clockLeadMax == .seconds(60))
        var replica = ReplicaConfiguration(name: "r", clockLeadMax: .seconds(-1))
        #expect(replica.clockLeadMax == .zero)
        replica.clockLeadMax = day * 2
        #expect(replica.clockLeadMax == day)
        let relay = RelayMachineConfiguration(name: "r", streamEndpoint: "", clockLeadMax: day * 3)
        #expect(relay.replica.clockLeadMax == day)
    }

    private func frames(_ origin: inout Origin) -> [[UInt8]] {
        origin.takeActions().compactMap { action in
            if case .publish(_, let payload) = action { payload } else { nil }
        }
    }

    @Test func `only fields that changed travel`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1, "name": "Ada", "homepage": nil])
        wire.origin.flush()
        _ = frames(&wire.origin)
        try wire.write("User", "1", ["age": 2, "name": "Ada", "homepage": nil])
        wire.origin.flush()
        let frame = try #require(frames(&wire.origin).first)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        let batch = decoder.batch(in: frame.span)
        let update = batch.update(at: 0)
        #expect(batch.count == 1)
        #expect(update.fieldCount == 1)
    }

    @Test func `a write that changes nothing is not sent`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1])
        wire.origin.flush()
        _ = wire.origin.takeActions()
        let outcomes = [
            try wire.write("User", "1", ["age": 1]),
            try wire.write("User", "1", ["age": 1], as: .replace),
            try wire.write("User", "1", ["age": 1], as: .assign),
            try wire.write("User", "2", as: .delete),
        ]
        #expect(outcomes == Array(repeating: .unchanged, count: 4))
        #expect(frames(&wire.origin).isEmpty)
    }

    @Test func `an assignment makes fields that it does not name unknown`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1, "name": "Ada", "z": 3])
        try wire.write("User", "1", ["age": 2, "b": 1], as: .assign)
        #expect(wire.origin.cache["User", "1"]?.values == ["age": 2, "b": 1])
    }

    @Test func `a replacement drops what it does not name`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1, "name": "Ada"])
        try wire.write("User", "1", ["name": "Ada"], as: .replace)
        #expect(wire.origin.cache["User", "1"]?.values == ["name": "Ada"])
    }

    @Test func `a model that was deleted exists again after a merge, with the new fields only`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1, "name": "Ada"])
        try wire.write("User", "1", as: .delete)
        #expect(wire.origin.cache["User", "1"] == nil)
        try wire.write("User", "1", ["age": 1])
        #expect(wire.origin.cache["User", "1"]?.values == ["age": 1])
    }

    @Test func `a batch is closed when it is full, and sequences have no holes`() throws {
        var wire = try Wire()
        for id in 0..<5_000 { try wire.write("User", "\(id)", ["text": .text(String(repeating: "x", count: 60))]) }
        wire.origin.flush()
        var decoder = BatchDecoder()
        var sequences: [UInt64] = []
        var count = 0
        for frame in frames(&wire.origin) {
            try decoder.decode(frame.span)
            sequences.append(decoder.sequence)
            count += decoder.updateCount
        }
        #expect(count == 5_000)
        #expect(sequences == Array(1...UInt64(sequences.count)))
        #expect(sequences.count > 10)
    }

    @Test func `heads go out at the heartbeat and are complete in every tenth`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1])
        var told: [Int] = []
        for _ in 0..<20 {
            wire.origin.tick(now: wire.now)
            for frame in frames(&wire.origin) {
                if case .heads(let heads) = try StreamFrame(decoding: frame.span) { told.append(heads.heads.count) }
            }
            wire.time += 500_000
        }
        #expect(told == [1] + Array(repeating: 0, count: 9) + [1] + Array(repeating: 0, count: 9))
    }

    @Test func `a barrier is answered with all heads on exactly its topic`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1])
        let barrier = Topic.barrier([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
        wire.origin.subscribed(to: barrier.bytes, now: wire.now)
        let actions = wire.origin.takeActions()
        guard case .publish(let topic, let payload)? = actions.last else {
            Issue.record("no answer")
            return
        }
        #expect(topic == barrier)
        guard case .heads(let heads) = try StreamFrame(decoding: payload.span) else {
            Issue.record("not heads")
            return
        }
        #expect(heads.heads.map(\.sequence) == [1])
        wire.origin.subscribed(to: Array("m/".utf8), now: wire.now)
        #expect(wire.origin.takeActions().isEmpty)
    }

    @Test func `a snapshot never has more chunks on their way than it was given credit for`() throws {
        var wire = try Wire()
        for id in 0..<20_000 { try wire.write("User", "\(id)", ["text": .text(String(repeating: "x", count: 60))]) }
        wire.origin.flush()
        _ = wire.origin.takeActions()
        func receive(_ request: ControlRequest) throws -> [ControlReply] {
            let bytes = request.encode()
            wire.origin.receive(bytes.span, from: [9], now: wire.now)
            return try wire.origin.takeActions().compactMap { action in
                guard case .reply(_, let payload) = action else { return nil }
                return try ControlReply(decoding: payload.span, limits: .default)
            }
        }
        var replies = try receive(.snapshot(rid: 4, prefixes: [Topic.dataPrefix], credit: 3))
        var records = 0
        var isComplete = false
        while !isComplete {
            #expect(replies.count <= 3)
            for reply in replies {
                switch reply {
                case .records(4, "User", let chunk): records += chunk.count
                case .complete(4, let heads):
                    isComplete = true
                    #expect((heads.first?.heads.first?.sequence ?? 0) > 10)
                default: Issue.record("unexpected \(reply)")
                }
            }
            if !isComplete { replies = try receive(.credit(rid: 4, count: 3)) }
        }
        #expect(records == 20_000)
    }

    @Test func `requests that cannot be served are refused with a reason`() throws {
        var wire = try Wire()
        func answer(_ bytes: [UInt8]) throws -> ControlReply? {
            wire.origin.receive(bytes.span, from: [9], now: wire.now)
            guard case .reply(_, let payload)? = wire.origin.takeActions().last else { return nil }
            return try ControlReply(decoding: payload.span, limits: .default)
        }
        func code(_ reply: ControlReply?) -> String? {
            if case .error(_, let code, _)? = reply { code.rawValue } else { nil }
        }
        #expect(code(try answer([0xFF, 0, 1])) == "malformed")
        let hello = ControlRequest.hello(rid: 1, version: 0, name: "x", prefixes: [])
        #expect(code(try answer(hello.encode())) == "version")
        #expect(code(try answer(ControlRequest.digest(rid: 1, type: "User", bits: 17).encode())) != nil)
        let push = ControlRequest.push(rid: 1, topic: Topic.data(type: "User"), batch: [1])
        #expect(code(try answer(push.encode())) == "denied")
    }

    @Test func `a name or size that the wire cannot carry is refused and nothing changes`() throws {
        var wire = try Wire()
        #expect(throws: WireError.self) { try wire.write("1User", "1", ["a": 1]) }
        #expect(throws: WireError.self) { try wire.write("User", "", ["a": 1]) }
        #expect(throws: WireError.self) { try wire.write("User", String(repeating: "x", count: 256), ["a": 1]) }
        var wide: Fields = [:]
        for index in 0..<6 { wide["f\(index)"] = .text(String(repeating: "x", count: 200_000)) }
        #expect(throws: WireError.self) { try wire.write("User", "1", wide) }
        #expect(!wire.origin.hasOpenBatch)
        #expect(wire.origin.cache["User", "1"] == nil)
    }

    @Test func `digests of more and fewer bits have the same sum`() throws {
        var wire = try Wire()
        for id in 0..<300 { try wire.write("User", "\(id)", ["age": .int(Int64(id))]) }
        var sums: Set<UInt64> = []
        for bits in [0, 1, 5, 8, 9, 16] as [UInt64] {
            let request = ControlRequest.digest(rid: 1, type: "User", bits: bits).encode()
            wire.origin.receive(request.span, from: [9], now: wire.now)
            guard case .reply(_, let payload)? = wire.origin.takeActions().last,
                case .digests(_, _, let digests) = try ControlReply(decoding: payload.span, limits: .default)
            else {
                Issue.record("no digests")
                return
            }
            #expect(digests.count == 1 << bits)
            sums.insert(digests.reduce(0, &+))
        }
        #expect(sums == [wire.origin.cache.digest(of: "User")])
    }
}
