@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

@Suite struct RelayTests {
    @Test func `a type that is held and in no head is told in the welcome`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay")
        try network.write(0, "1", ["a": 1])
        let record = try #require(network.origins[0].cache.record(type: "User", id: "1", includingTombstones: true))
        network.relays[0].cache.commit { $0.join(record, type: "User") }
        let replies = network.ask(.relay(0), .hello(rid: 1, version: 1, name: "x", prefixes: []))
        guard case .welcome(_, _, _, _, _, _, let heads, let types)? = replies.first else {
            Issue.record("no welcome")
            return
        }
        #expect(heads.isEmpty)
        #expect(types == ["User"])
    }

    @Test func `a replica takes the models of a relay's copy of which nobody tells a stream, whenever they came`()
        throws
    {
        var network = try chain(relays: 2)
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        // What a stored state may hold without a position: an origin that is gone has written it.
        var former = try Wire.makeOrigin(name: "former")
        _ = try former.write(.merge, type: "Former", id: "1", fields: EncodedFields(["a": 1]), now: network.now)
        _ = try former.write(.merge, type: "Former", id: "2", fields: EncodedFields(["a": 1]), now: network.now)
        func add(_ id: String) throws {
            let record = try #require(former.cache.record(type: "Former", id: id, includingTombstones: false))
            network.relays[0].cache.commit { $0.join(record, type: "Former") }
        }
        try add("1")
        network.run(milliseconds: 20_000)
        #expect(network.relays[1].cache["Former", "1"]?["a"] == 1)
        #expect(network.replicas[0].cache["Former", "1"]?["a"] == 1)
        // And what comes later is found by the digest.
        try add("2")
        network.run(milliseconds: 60_000)
        #expect(network.replicas[0].cache["Former", "2"]?["a"] == 1)
        #expect(network.replicas[0].senderStatus(now: network.now).allSatisfy { $0.state == .live })
    }

    @Test func `a relay says under its own name that there are transactions, for origins that it does not tell`() throws
    {
        var network = RelayNetwork()
        try network.addRelay("relay")
        func saysSo() -> Bool? {
            let replies = network.ask(.relay(0), .snapshot(rid: 1, prefixes: [.dataPrefix], credit: 8))
            guard case .complete(_, let heads)? = replies.last else { return nil }
            return heads.first { $0.origin == "relay" }?.hasTransactions
        }
        network.run(milliseconds: 20_000)
        #expect(saysSo() == false)
        network.relays[0].replica.origins.noteTransaction(of: "origin")
        #expect(saysSo() == true)
    }

    @Test func `relays in a circle take nothing of what comes back under their own names`() throws {
        var network = RelayNetwork()
        for name in ["relay-0", "relay-1"] { try network.addRelay(name) }
        network.connect(.relay(0), to: .relay(1))
        network.connect(.relay(1), to: .relay(0))
        var former = try Wire.makeOrigin(name: "former")
        _ = try former.write(.merge, type: "Former", id: "1", fields: EncodedFields(["a": 1]), now: network.now)
        let record = try #require(former.cache.record(type: "Former", id: "1", includingTombstones: false))
        network.relays[0].cache.commit { $0.join(record, type: "Former") }
        network.run(milliseconds: 60_000)
        #expect(network.relays[1].cache["Former", "1"]?["a"] == 1)
        #expect(!network.relays[0].replica.follows("relay-0"))
        let asked = network.relays[1].counters[.snapshotsServed] + network.relays[0].counters[.snapshotsServed]
        network.run(milliseconds: 60_000)
        #expect(network.relays[1].counters[.snapshotsServed] + network.relays[0].counters[.snapshotsServed] == asked)
    }

    /// One origin, one relay, one replica behind it.
    private func chain(relays: Int = 1) throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        for index in 0..<relays { try network.addRelay("relay-\(index)") }
        network.addReplica()
        network.connect(.relay(0), to: .origin(0))
        for index in 1..<max(relays, 1) { network.connect(.relay(index), to: .relay(index - 1)) }
        network.connect(.replica(0), to: .relay(relays - 1))
        return network
    }

    @Test func `a relay that has not joined its senders yet does not say that a model does not exist`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.write(0, "1", ["a": 1])
        try network.addRelay("relay")
        network.connect(.relay(0), to: .origin(0))
        let request = ControlRequest.fetch(rid: 1, type: "User", ids: ["1"])
        guard case .error(1, .busy, _)? = network.ask(.relay(0), request).first else {
            Issue.record("it is answered")
            return
        }
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        guard case .records(1, "User", let records)? = network.ask(.relay(0), request).first else {
            Issue.record("it is not answered")
            return
        }
        #expect(records.map(\.id) == ["1"])
    }

    @Test func `a replica behind a chain of relays holds what the origin published, before and after it came`() throws {
        var network = try chain(relays: 3)
        for id in 0..<50 { try network.write(0, "\(id)", ["age": .int(Int64(id))]) }
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        for id in 25..<75 { try network.write(0, "\(id)", ["age": -1]) }
        network.run(milliseconds: 200)
        #expect(network.differences == [])
        #expect(network.replicas[0].cache.count(of: "User") == 75)
    }

    @Test func `a frame that comes by two senders goes on once and unchanged`() throws {
        var network = try chain(relays: 2)
        network.connect(.relay(1), to: .origin(0))
        _ = network.settle()
        network.sent = [:]
        for id in 0..<20 {
            try network.write(0, "\(id)", ["age": 1])
            network.run(milliseconds: 20)
        }
        network.run(milliseconds: 500)
        #expect(network.sent[1]?.count == 20)
        #expect(network.sent[0] == network.sent[1])
        #expect(network.relays[1].replica.counters[.duplicateBatches] == 20)
    }

    @Test func `relays that listen to each other come to rest and tell a dead origin's growing age`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("a")
        try network.addRelay("b")
        network.connect(.relay(0), to: .origin(0))
        network.connect(.relay(0), to: .relay(1))
        network.connect(.relay(1), to: .relay(0))
        for id in 0..<20 { try network.write(0, "\(id)", ["age": 1]) }
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        network.sent = [:]
        try network.write(0, "20", ["age": 2])
        network.run(milliseconds: 2_000)
        #expect(network.sent[0]?.count == 1)
        #expect(network.sent[1]?.count == 1)
        func age(_ relay: Int) throws -> UInt64 {
            let hello = ControlRequest.hello(rid: 1, version: 1, name: "test", prefixes: [])
            guard case .welcome(_, _, _, _, _, _, let heads, _)? = network.ask(.relay(relay), hello).first else {
                throw CaseFailure("no welcome")
            }
            let told = try #require(heads.first { $0.origin == "origin" })
            #expect(told.isRelayed)
            return try #require(told.ageMilliseconds)
        }
        #expect(try age(0) < 600)
        #expect(try age(1) < 1_200)
        network.dead.insert(.origin(0))
        network.run(milliseconds: 20_000)
        #expect(try age(0) >= 19_000)
        #expect(try age(1) >= 19_000)
    }

    @Test func `a relay that is connected to itself says so and stops listening there`() throws {
        var network = try chain()
        network.connect(.relay(0), to: .relay(0))
        try network.write(0, "1", ["age": 1])
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        network.run(milliseconds: 20_000)
        #expect(network.notices.count { $0.kind == .ownReflection } == 1)
        #expect(network.relays[0].isRefused(SenderID(index: 1)))
        #expect(!network.relays[0].isRefused(SenderID(index: 0)))
    }

    @Test func `a barrier is answered with heads for every origin, and also by a relay that speaks for nobody`() throws
    {
        var network = RelayNetwork()
        try network.addRelay("relay")
        func answers() throws -> [Heads] {
            let barrier = Topic.barrier((1...16).map { UInt8($0) })
            network.relays[0].subscribed(to: barrier.bytes, now: network.now)
            return try network.relays[0].takeActions().compactMap { action in
                guard case .publish(barrier, let payload) = action,
                    case .heads(let heads) = try StreamFrame(decoding: payload.span)
                else { return nil }
                return heads
            }
        }
        #expect(try answers().map(\.origin) == ["relay"])
        try network.addOrigin("one")
        try network.addOrigin("two")
        for index in 0..<2 {
            network.connect(.relay(0), to: .origin(index))
            try network.write(index, "1", ["age": 1], type: "T\(index)")
            try network.write(index, "1", ["age": 1], type: "V")
        }
        let isSettled = network.settle()
        #expect(isSettled)
        let told = try answers()
        #expect(told.map(\.origin) == ["one", "two", "relay"])
        #expect(told.map(\.isRelayed) == [true, true, false])
        #expect(told[0].heads.map(\.topic) == [.data(type: "V"), .data(type: "T0")])
        #expect(told[0].heads.allSatisfy { $0.sequence == 1 && $0.digest != nil })
    }

    @Test func `a replica behind a relay that starts anew with nothing ends up equal`() throws {
        var network = try chain()
        for id in 0..<40 { try network.write(0, "\(id)", ["age": 1]) }
        _ = network.settle()
        network.dead.insert(.relay(0))
        for id in 20..<60 { try network.write(0, "\(id)", ["age": 2]) }
        network.run(milliseconds: 3_000)
        try network.restartRelay(0)
        try network.write(0, "60", ["age": 3])
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        #expect(network.replicas[0].cache.count(of: "User") == 61)
    }

    @Test func `an origin that starts anew is followed through a relay`() throws {
        var network = try chain()
        for id in 0..<10 { try network.write(0, "\(id)", ["age": 1]) }
        _ = network.settle()
        network.dead.insert(.origin(0))
        network.run(milliseconds: 3_000)
        // The same models, known to the origin from a store, and one more.
        let old = network.origins[0]
        let configuration = old.configuration
        let cache = ModelCache()
        let snapshot = old.cache.snapshot()
        cache.commit { commit in
            for record in snapshot.records(of: "User") { commit.join(record, type: "User") }
        }
        network.origins[0] = try Origin(
            configuration: configuration, cache: cache, now: network.now, after: old.incarnation)
        network.dead = []
        try network.write(0, "10", ["age": 1])
        try network.write(0, "3", as: .delete)
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        #expect(network.replicas[0].cache.count(of: "User") == 10)
    }

    @Test func `an origin's bye goes on once`() throws {
        var network = try chain(relays: 2)
        network.connect(.relay(0), to: .relay(1))
        try network.write(0, "1", ["age": 1])
        _ = network.settle()
        let bye = Bye(origin: "origin", incarnation: network.origins[0].incarnation, stamp: .max - 1).encode()
        var count = 0
        for _ in 0..<3 {
            let topic = Topic.heads(origin: "origin")
            network.relays[0].receiveStream(
                SenderID(index: 0), topic: topic.bytes.span, payload: bye.span, now: network.now)
            count += network.relays[0].takeActions().count { action in
                guard case .publish(topic, let payload) = action else { return false }
                return payload == bye
            }
        }
        #expect(count == 1)
    }

    @Test func `two relays side by side on bad networks leave replicas equal to the origins`() {
        var lost = 0
        forEachSeed(600) { seed, generator in
            var network = RelayNetwork(seed: seed)
            let originCount = Int.random(in: 1...2, using: &generator)
            for index in 0..<originCount { try network.addOrigin("origin-\(index)") }
            for index in 0..<2 {
                try network.addRelay("relay-\(index)") { configuration in
                    configuration.replayByteCount = [0, 2_000, 1 << 20].randomElement(using: &generator) ?? 0
                }
                for origin in 0..<originCount { network.connect(.relay(index), to: .origin(origin)) }
            }
            if Bool.random(using: &generator) { network.connect(.relay(0), to: .relay(1)) }
            if Bool.random(using: &generator) { network.connect(.relay(1), to: .relay(0)) }
            network.addReplica()
            network.connect(.replica(0), to: .relay(0))
            network.connect(.replica(0), to: .relay(1))
            network.lossPerMille = Int.random(in: 0...200, using: &generator)
            network.duplicationPerMille = Int.random(in: 0...200, using: &generator)
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                let write = [Write.merge, .merge, .replace, .delete].randomElement(using: &generator) ?? .merge
                let value = Value.int(Int64.random(in: 0...9, using: &generator))
                try network.write(
                    Int.random(in: 0..<originCount, using: &generator),
                    "\(Int.random(in: 0...6, using: &generator))", write == .delete ? [:] : ["a": value], as: write)
                network.run(milliseconds: [0, 0, 20, 300].randomElement(using: &generator) ?? 0)
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                network.dead.insert(.relay(0))
                network.run(milliseconds: 2_500)
                try network.restartRelay(0)
            }
            lost += network.lostCount
            let isSettled = network.settle()
            try #require(isSettled, "\(network.differences), live: \(network.isLive)")
        }
        #expect(lost > 0)
    }
}
