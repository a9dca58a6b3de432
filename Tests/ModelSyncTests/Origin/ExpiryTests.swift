@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Models that end by themselves: when, for whom, and what moves the end.
@Suite struct ExpiryTests {
    /// An origin, a relay of it and a replica of the relay, all equal.
    private func network() throws -> RelayNetwork {
        var network = try RelayNetwork.chain()
        network.run(milliseconds: 1_000)
        return network
    }

    /// The end of a model that has so many milliseconds left, by the wall clock of an origin that is not ahead.
    private func end(in milliseconds: Int64, _ network: RelayNetwork) -> Value {
        .int(Int64(network.now.wallMilliseconds) + milliseconds)
    }

    private func exists(_ network: RelayNetwork, _ id: String = "1") -> [Bool] {
        [network.origins[0].cache, network.relays[0].cache, network.replicas[0].cache].map { $0["User", id] != nil }
    }

    @Test func `a model ends at its time, for everybody`() throws {
        var network = try network()
        try network.write(0, "1", ["age": 1, "$expires": end(in: 5_000, network)])
        try network.write(0, "2", ["age": 1])
        network.run(milliseconds: 4_800)
        #expect(exists(network) == [true, true, true])
        #expect(network.replicas[0].cache["User", "1"]?.expires == network.origins[0].cache["User", "1"]?.expires)
        network.run(milliseconds: 1_000)
        #expect(exists(network) == [false, false, false] && exists(network, "2") == [true, true, true])
        #expect(network.origins[0].counters[.modelsExpired] == 1)
        #expect(network.origins[0].cache.digest(of: "User") == network.replicas[0].cache.digest(of: "User"))
    }

    @Test func `a later write moves the end, to a later or to an earlier time`() throws {
        var network = try network()
        for id in ["1", "2"] { try network.write(0, id, ["$expires": end(in: 5_000, network)]) }
        network.run(milliseconds: 4_000)
        try network.write(0, "1", ["$expires": end(in: 5_000, network)])
        try network.write(0, "2", ["$expires": end(in: 300, network)])
        network.run(milliseconds: 1_000)
        #expect(exists(network, "2") == [false, false, false])
        network.run(milliseconds: 3_500)
        #expect(exists(network) == [true, true, true])
        network.run(milliseconds: 1_500)
        #expect(exists(network) == [false, false, false])
    }

    @Test func `a merge without a word of the end leaves it, and others take it away`() throws {
        var network = try network()
        for id in ["merged", "assigned", "replaced", "unset", "anew"] {
            try network.write(0, id, ["age": 1, "$expires": end(in: 3_000, network)])
        }
        try network.write(0, "merged", ["age": 2])
        try network.write(0, "assigned", ["age": 2], as: .assign)
        try network.write(0, "replaced", ["age": 2], as: .replace)
        try network.write(0, "unset", ["$expires": .undefined])
        try network.write(0, "anew", as: .delete)
        try network.write(0, "anew", ["age": 2])
        network.run(milliseconds: 10_000)
        #expect(exists(network, "merged") == [false, false, false])
        for id in ["assigned", "replaced", "unset", "anew"] {
            #expect(exists(network, id) == [true, true, true], "\(id)")
        }
    }

    @Test func `an end that has passed is one at once, whatever the write stands in`() throws {
        var network = try network()
        for id in ["1", "2", "3"] { try network.write(0, id, ["age": 1]) }
        let past: Fields = ["age": 2, "$expires": end(in: -1, network)]
        try network.write(0, "1", past)
        var writes = WriteBatch(limits: .default)
        try writes.append(.merge, type: "User", id: "2", fields: past)
        _ = try network.origins[0].writeBatch(&writes, now: network.now)
        var more = WriteBatch(limits: .default)
        try more.append(.merge, type: "User", id: "3", fields: past)
        try more.append(.merge, type: "Order", id: "3", fields: ["sum": 1])
        _ = try network.origins[0].transaction(more, now: network.now)
        for id in ["1", "2", "3"] { #expect(network.origins[0].cache["User", id] == nil) }
        network.run(milliseconds: 1_000)
        for id in ["1", "2", "3"] { #expect(exists(network, id) == [false, false, false]) }
        #expect(network.replicas[0].cache["Order", "3"] != nil)
    }

    @Test func `batches and transactions say when models end, as single writes do`() throws {
        var network = try network()
        var writes = WriteBatch(limits: .default)
        for write in [Write.merge, .assign, .replace] {
            try writes.append(write, type: "User", id: "\(write)", fields: ["$expires": end(in: 2_000, network)])
        }
        _ = try network.origins[0].writeBatch(&writes, now: network.now)
        var more = WriteBatch(limits: .default)
        for type in ["User", "Order"] {
            try more.append(.merge, type: type, id: "t", fields: ["$expires": end(in: 2_000, network)])
        }
        _ = try network.origins[0].transaction(more, now: network.now)
        network.run(milliseconds: 1_500)
        #expect(network.replicas[0].cache.count(of: "User") == 4 && network.replicas[0].cache.count(of: "Order") == 1)
        network.run(milliseconds: 1_500)
        #expect(network.replicas[0].cache.count(of: "User") == 0 && network.replicas[0].cache.count(of: "Order") == 0)
    }

    @Test func `a clock that jumps ahead ends nothing early, and one that jumps back ends what is left late`() throws {
        var network = try network()
        try network.write(0, "1", ["$expires": end(in: 5_000, network)])
        network.leadMilliseconds[0] = 60_000
        network.run(milliseconds: 4_000)
        #expect(exists(network) == [true, true, true])
        network.leadMilliseconds[0] = -3_000
        network.run(milliseconds: 3_000)
        #expect(exists(network) == [true, true, true])
        network.run(milliseconds: 2_000)
        #expect(exists(network) == [false, false, false])
    }

    @Test(arguments: [10_000, 3_600_000] as [Int64])
    func `what comes due while the clock is set back ends as soon as the clock is right again`(back: Int64) throws {
        var network = try network()
        try network.write(0, "1", ["$expires": end(in: 4_000, network)])
        network.run(milliseconds: 1_000)
        network.leadMilliseconds[0] = -back
        network.run(milliseconds: 2_000)
        // One that is written meanwhile has its time, by the clock that is right.
        try network.write(0, "2", ["$expires": end(in: 6_000 - back, network)])
        network.run(milliseconds: 4_000)
        #expect(exists(network) == [true, true, true])
        network.leadMilliseconds[0] = 0
        network.run(milliseconds: 600)
        #expect(exists(network) == [false, false, false])
        #expect(network.origins[0].cache["User", "2"] != nil)
        network.run(milliseconds: 2_000)
        #expect(network.origins[0].cache["User", "2"] == nil)
    }

    @Test func `a start that has its models goes on with their ends`() throws {
        var network = try network()
        let end = end(in: 5_000, network)
        try network.write(0, "1", ["$expires": end])
        try network.write(0, "2", ["$expires": self.end(in: 100_000, network)])
        network.run(milliseconds: 10)
        let cache = ModelCache()
        for id in ["1", "2"] {
            let record = try #require(network.origins[0].cache["User", id])
            cache.commit { commit in commit.join(record, type: "User") }
        }
        var later = network.now
        later.wallMilliseconds += 60_000
        var origin = try Origin(
            configuration: OriginConfiguration(name: "origin", streamEndpoint: "memory"), cache: cache, now: later)
        #expect(cache["User", "1"] != nil)
        origin.tick(now: later)
        #expect(cache["User", "1"] == nil && cache["User", "2"] != nil)
        #expect(origin.counters[.modelsExpired] == 1)
    }

    @Test func `models that are taken back end`() throws {
        var network = try network()
        try network.write(0, "1", ["$expires": end(in: 5_000, network)])
        network.run(milliseconds: 100)
        let record = try #require(network.replicas[0].cache["User", "1"])
        var origin = try Origin(
            configuration: OriginConfiguration(name: "origin", streamEndpoint: "memory"), cache: ModelCache(),
            now: network.now)
        let isTaken = origin.adopt(record, type: "User", now: network.now)
        #expect(isTaken)
        origin.resume(["User"], now: network.now)
        var later = network.now
        later.wallMilliseconds += 6_000
        later.uptimeMicroseconds += 6_000_000
        origin.tick(now: later)
        #expect(origin.cache["User", "1"] == nil)
    }

    @Test(arguments: [1_790_000_000, -1, .double(1.8e12), "tomorrow", true] as [Value])
    func `an end in another form is refused, and says which is right`(value: Value) throws {
        var network = try network()
        let error = #expect(throws: WireError.self) { try network.write(0, "1", ["age": 1, "$expires": value]) }
        #expect(error?.description.contains("whole milliseconds since 1970") == true)
        var writes = WriteBatch(limits: .default)
        #expect(throws: WireError.self) {
            try writes.append(.merge, type: "User", id: "1", fields: ["list": [1], "$expires": value])
        }
        #expect(writes.isEmpty && network.origins[0].cache["User", "1"] == nil)
    }

    @Test func `an end of another form from elsewhere is data and ends nothing`() {
        let record = Value.text("soon")
        #expect(Expiration.milliseconds(record) == nil && Expiration.milliseconds(.int(5)) == nil)
        #expect(Expiration.milliseconds(.int(1_800_000_000_000)) == 1_800_000_000_000)
    }

    @Test func `an end that is never reached costs no look, and the greatest does not trap`() throws {
        var network = try network()
        try network.write(0, "1", ["$expires": .int(.max)])
        network.run(milliseconds: 2_000)
        #expect(exists(network) == [true, true, true])
    }
}
