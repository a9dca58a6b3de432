import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// An origin whose clock was far ahead for a moment: everybody refuses what it writes until it starts anew.
@Suite struct ClockAheadTests {
    private static let day: Int64 = 25 * 3_600_000

    /// Two replicas: of the origin itself, and of a relay.
    private func network() throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay")
        for _ in 0..<2 { network.addReplica() }
        network.connect(.relay(0), to: .origin(0))
        network.connect(.replica(0), to: .origin(0))
        network.connect(.replica(1), to: .relay(0))
        return network
    }

    private func areEqual(_ network: RelayNetwork) -> Bool {
        let origin = network.origins[0].cache
        let copies = [network.relays[0].cache, network.replicas[0].cache, network.replicas[1].cache]
        return copies.allSatisfy { $0.digest(of: "User") == origin.digest(of: "User") }
    }

    private func kinds(_ network: RelayNetwork) -> Set<String> { Set(network.notices.map(\.kind.rawValue)) }

    /// The clock is a day ahead for four seconds, in which the publisher writes.
    private func writeAhead(_ network: inout RelayNetwork) throws {
        network.leadMilliseconds[0] = ClockAheadTests.day
        for id in 0..<4 { try network.write(0, "\(id)", ["a": 2]) }
        try network.write(0, "4", ["c": 3], as: .replace)
        try network.write(0, "5", as: .delete)
        try network.write(0, "new", ["a": 4])
        network.run(milliseconds: 4_000)
    }

    @Test func `within ten seconds of the clock's return all that was written is taken, and both sides say so`() throws
    {
        var network = try network()
        for id in 0..<10 { try network.write(0, "\(id)", ["a": 1, "b": 1]) }
        network.run(milliseconds: 3_000)
        #expect(areEqual(network))
        try writeAhead(&network)
        #expect(!areEqual(network))
        network.leadMilliseconds = [:]
        for count in 0..<100 {
            try network.write(0, "9", ["a": .int(Int64(count))])
            network.run(milliseconds: 90)
        }
        network.run(milliseconds: 900)
        #expect(areEqual(network))
        #expect(network.origins[0].clockLead(now: network.now) < .seconds(1))
        #expect(network.origins[0].counters[.clockRenewals] == 1)
        for replica in network.replicas {
            #expect(replica.cache["User", "2"]?.values == ["a": 2, "b": 1])
            #expect(replica.cache["User", "4"]?.values == ["c": 3])
            #expect(replica.cache["User", "5"] == nil)
            #expect(replica.cache["User", "9"]?["a"] == 99)
            #expect(replica.cache.count(of: "User") == 10)
            #expect(replica.senderStatus(now: network.now).map(\.state) == [.live])
        }
        let told = kinds(network)
        for kind in [Notice.Kind.clockAhead, .clockRenewed, .clockRejected, .clockAccepted] {
            #expect(told.contains(kind.rawValue), "\(kind)")
        }
    }

    /// Subscribers that join when the publisher has not started anew yet, and when all others have got over it.
    @Test(arguments: [0, 12_000] as [UInt64])
    func `a subscriber that joins only after the clock's return becomes live and holds all models`(
        pauseMilliseconds: UInt64
    ) throws {
        var network = try network()
        for id in 0..<10 { try network.write(0, "\(id)", ["a": 1, "b": 1]) }
        network.run(milliseconds: 3_000)
        try writeAhead(&network)
        network.leadMilliseconds = [:]
        try network.write(0, "last", ["a": 1])
        network.run(milliseconds: pauseMilliseconds)
        for _ in 0..<2 { network.addReplica() }
        network.connect(.replica(2), to: .origin(0))
        network.connect(.replica(3), to: .relay(0))
        network.run(milliseconds: 15_000)
        #expect(network.origins[0].counters[.clockRenewals] == 1)
        let digest = network.origins[0].cache.digest(of: "User")
        for replica in network.replicas {
            #expect(replica.senderStatus(now: network.now).map(\.state) == [.live])
            #expect(replica.cache.digest(of: "User") == digest)
            #expect(replica.cache.count(of: "User") == 11)
            #expect(replica.cache["User", "2"]?.values == ["a": 2, "b": 1])
            #expect(replica.cache["User", "4"]?.values == ["c": 3])
            #expect(replica.cache["User", "5"] == nil)
            #expect(replica.cache["User", "new"] != nil && replica.cache["User", "last"] != nil)
        }
    }

    @Test func `a delete that nobody has heard of when the clock leaps ahead is not forgotten by that`() throws {
        var network = try network()
        for id in 0..<10 { try network.write(0, "\(id)", ["a": 1]) }
        network.run(milliseconds: 3_000)
        // Neither leaves before the clock does.
        try network.write(0, "4", as: .delete)
        try network.write(0, "5", ["a": 2], as: .replace)
        network.leadMilliseconds[0] = ClockAheadTests.day
        try network.write(0, "6", ["a": 2])
        network.run(milliseconds: 4_000)
        network.leadMilliseconds = [:]
        try network.write(0, "last", ["a": 1])
        network.run(milliseconds: 12_000)
        #expect(areEqual(network))
        for cache in network.replicas.map(\.cache) + [network.origins[0].cache] {
            #expect(cache["User", "4"] == nil && cache["User", "6"]?["a"] == 2)
        }
    }

    @Test func `what is written anew lies above all that was written before the clock jumped`() throws {
        func moment(_ milliseconds: UInt64, ahead: UInt64) -> Moment {
            Moment(
                wallMilliseconds: 1_800_000_000_000 + milliseconds + ahead, uptimeMicroseconds: milliseconds * 1_000)
        }
        var origin = try Wire.makeOrigin(name: "origin")
        func write(_ value: Int64, _ now: Moment) throws -> Stamp {
            _ = try origin.write(.merge, type: "User", id: "1", fields: try EncodedFields(["a": .int(value)]), now: now)
            origin.flush()
            return origin.lastStamp
        }
        origin.tick(now: moment(0, ahead: 0))
        // A little ahead, as may be: others have it.
        origin.tick(now: moment(1_000, ahead: 60_000))
        let taken = try write(1, moment(1_100, ahead: 60_000))
        // Far ahead. Nothing of the first write is left in the origin's own copy.
        let ahead = try write(2, moment(1_200, ahead: UInt64(ClockAheadTests.day)))
        origin.tick(now: moment(2_000, ahead: UInt64(ClockAheadTests.day)))
        let now = moment(3_000, ahead: 0)
        let isNew = origin.startAnewIfRefused(now: now)
        #expect(isNew)
        #expect(origin.lastStamp > taken && origin.lastStamp < ahead)
        #expect(origin.clockLead(now: now) < .seconds(70))
    }

    @Test func `what is written anew lies above what was written before a second leap as far`() throws {
        var uptime: UInt64 = 0
        func moment(ahead: Int64) -> Moment {
            uptime += 1_000
            return Moment(
                wallMilliseconds: 1_800_000_000_000 + uptime + UInt64(ahead), uptimeMicroseconds: uptime * 1_000)
        }
        var origin = try Wire.makeOrigin(name: "origin")
        func write(_ value: Int64, ahead: Int64) throws -> Stamp {
            let now = moment(ahead: ahead)
            _ = try origin.write(.merge, type: "User", id: "1", fields: try EncodedFields(["a": .int(value)]), now: now)
            origin.flush()
            origin.tick(now: now)
            return origin.lastStamp
        }
        origin.tick(now: moment(ahead: 0))
        _ = try write(1, ahead: ClockAheadTests.day)
        let hasBegunBefore = origin.startAnewIfRefused(now: moment(ahead: 0))
        #expect(hasBegunBefore)
        // A little ahead, as may be: others have it. Nothing of it is left in the copy after the next write.
        let taken = try write(2, ahead: 60_000)
        _ = try write(3, ahead: ClockAheadTests.day)
        let hasBegun = origin.startAnewIfRefused(now: moment(ahead: 0))
        #expect(hasBegun)
        #expect(origin.lastStamp > taken)
        #expect(origin.clockLead(now: moment(ahead: 0)) < .seconds(70))
    }

    @Test func `after a restart, what is written anew lies above what others hold from before the clock jumped`() throws
    {
        var network = try network()
        let cache = ModelCache()
        let held = (network.now.wallMilliseconds + 60_000) << 16 + 7
        let ahead = Moment(
            wallMilliseconds: network.now.wallMilliseconds + UInt64(ClockAheadTests.day), uptimeMicroseconds: 1)
        var former = try Origin(configuration: network.origins[0].configuration, cache: cache, now: ahead)
        _ = try former.write(.replace, type: "User", id: "1", fields: try EncodedFields(["a": 1]), now: ahead)
        // The own copy has nothing any more of what the former run wrote while its clock was a minute ahead.
        network.origins[0] = try Origin(
            configuration: former.configuration, cache: cache, now: network.now, after: former.lastStamp)
        let heads = Heads(origin: "origin", incarnation: held - 7, stamp: held, heads: [])
        let counters = [Counters.Name.clockRejectedHeads.label: 1 as UInt64]
        let report = ReplicaReport(state: "live", applied: [heads], counters: counters)
        _ = network.ask(.origin(0), .report(rid: 1, report: report))
        network.run(milliseconds: 2_000)
        #expect(network.origins[0].counters[.clockRenewals] == 1)
        #expect(network.origins[0].incarnation > held)
        #expect(network.origins[0].clockLead(now: network.now) < .seconds(70))
    }

    @Test func `a publisher that starts with a store from such a time is followed within ten seconds`() throws {
        var network = try network()
        let cache = ModelCache()
        let ahead = Moment(
            wallMilliseconds: network.now.wallMilliseconds + UInt64(ClockAheadTests.day), uptimeMicroseconds: 1)
        var former = try Origin(configuration: network.origins[0].configuration, cache: cache, now: ahead)
        for id in 0..<20 {
            _ = try former.write(.merge, type: "User", id: "\(id)", fields: try EncodedFields(["a": 1]), now: ahead)
        }
        network.origins[0] = try Origin(
            configuration: former.configuration, cache: cache, now: network.now, after: former.lastStamp)
        network.run(milliseconds: 2_000)
        try network.write(0, "0", ["a": 2])
        network.run(milliseconds: 8_000)
        #expect(areEqual(network))
        #expect(network.replicas[1].cache.count(of: "User") == 20)
        #expect(network.replicas[1].cache["User", "0"]?["a"] == 2)
        #expect(network.replicas[0].senderStatus(now: network.now).map(\.state) == [.live])
        #expect(!network.origins[0].voidIncarnations.isEmpty)
    }

    @Test func `a clock that was set back while others take the stamps changes nothing`() throws {
        var network = try network()
        try network.write(0, "1", ["a": 1])
        network.run(milliseconds: 3_000)
        let incarnation = network.origins[0].incarnation
        network.leadMilliseconds[0] = -ClockAheadTests.day
        for count in 0..<50 {
            try network.write(0, "1", ["a": .int(Int64(count))])
            network.run(milliseconds: 200)
        }
        network.run(milliseconds: 2_000)
        #expect(network.origins[0].incarnation == incarnation)
        #expect(network.origins[0].counters[.clockRenewals] == 0)
        #expect(areEqual(network))
        #expect(network.replicas[1].cache["User", "1"]?["a"] == 49)
        #expect(kinds(network).contains(Notice.Kind.clockAhead.rawValue))
    }

    @Test func `a job whose clock was ahead pushes all, what it had written before included`() throws {
        for isFresh in [true, false] {
            var job = try PushingJob(relays: 2, PusherConfiguration(acknowledgement: .every))
            for id in 0..<10 { try job.write("\(id)", 1) }
            if !isFresh { try job.run(milliseconds: 1_000) }
            job.lead = ClockAheadTests.day
            for id in 5..<15 { try job.write("\(id)", 2) }
            try job.write(.delete, "0")
            job.lead = 0
            try job.write("1", 3)
            try job.run(milliseconds: 5_000)
            #expect(job.pusher.isDone)
            #expect(job.pusher.failure == nil)
            for relay in 0..<2 {
                let isEqual = job.isEqual(relay)
                #expect(isEqual)
                #expect(job.network.relays[relay].cache.count(of: "User") == 14)
                #expect(job.network.relays[relay].cache["User", "1"]?["age"] == 3)
            }
            // A later run with the same store finds nothing to do.
            try job.runAgain()
            try job.run(milliseconds: 1_000)
            #expect(job.pusher.isDone)
            #expect(job.pusher.status(now: job.network.now)[0].acknowledged == 0)
        }
    }

    @Test func `what is refused while a job's clock is still ahead is brought there when it is right again`() throws {
        for isFresh in [true, false] {
            var job = try PushingJob(relays: 2, PusherConfiguration(acknowledgement: .every))
            if !isFresh {
                try job.write("0", 1)
                try job.run(milliseconds: 1_000)
            }
            job.lead = ClockAheadTests.day
            for id in 0..<10 { try job.write("\(id)", 2) }
            try job.run(milliseconds: 4_000)
            #expect(job.pusher.failure == nil)
            #expect(!job.pusher.isDone)
            let told = job.network.notices.filter { $0.kind == .pushFailed }
            #expect(told.count == 2)
            job.lead = 0
            try job.run(milliseconds: 10_000)
            #expect(job.pusher.isDone)
            #expect(job.pusher.failure == nil)
            let areEqual = job.isEqual(0) && job.isEqual(1)
            #expect(areEqual)
        }
    }

    @Test func `whatever is written while a clock jumps, all copies end equal to the publisher's`() {
        forEachSeed(100) { _, generator in
            var network = try network()
            var expected: [String: [String: Value]] = [:]
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                for lead in [0, ClockAheadTests.day + Int64.random(in: 0...10_000, using: &generator), 0] {
                    network.leadMilliseconds[0] = lead
                    for _ in 0..<Int.random(in: 0...12, using: &generator) {
                        let id = "\(Int.random(in: 0...5, using: &generator))"
                        let field = ["a", "b"].randomElement(using: &generator) ?? "a"
                        let value = Value.int(Int64.random(in: 0...99, using: &generator))
                        let write = [Write.merge, .merge, .replace, .assign, .delete].randomElement(using: &generator)
                        try network.write(
                            0, id, write == .delete ? [:] : [field: value], as: write ?? .merge)
                        switch write {
                        case .delete: expected[id] = nil
                        case .replace, .assign: expected[id] = [field: value]
                        default: expected[id, default: [:]][field] = value
                        }
                        network.run(milliseconds: [0, 5, 300].randomElement(using: &generator) ?? 0)
                    }
                }
                network.run(milliseconds: [500, 4_000, 12_000].randomElement(using: &generator) ?? 0)
            }
            // Somebody has to refuse something before the publisher can know.
            try network.write(0, "last", ["a": 1])
            expected["last"] = ["a": 1]
            network.run(milliseconds: 12_000)
            try #require(areEqual(network))
            for cache in [network.origins[0].cache, network.replicas[0].cache, network.replicas[1].cache] {
                try #require(cache.count(of: "User") == expected.count)
                for (id, values) in expected { try #require(cache["User", id]?.values == values) }
            }
        }
    }
}
