@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// Differences that no sequence shows.
@Suite struct AuditTests {
    /// Two origins that write one type, and relays that all have everything, as has the replica.
    private func mesh(relays: Int = 1) throws -> Mesh {
        var mesh = try Mesh(relays: relays, origins: 2)
        try mesh.connect()
        for id in 0..<100 { try mesh.write(id % 2, "User", "\(id)", ["age": .int(Int64(id))]) }
        mesh.pass(milliseconds: 500)
        return mesh
    }

    /// A batch that reaches one cache by no stream.
    private func slip(_ id: String, _ age: Int64, origin: String = "origin-0", into cache: ModelCache) throws {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: (1_800_000_000_000 << 16) + (1 << 18), id: id, fields: ["age": .int(age)])
        let frame = writer.finish(origin: origin, incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        cache.commit(decoder.batch(in: frame.span), type: "User")
    }

    @Test func `equal copies of two origins behind a relay are compared and nothing is fetched`() throws {
        var mesh = try mesh()
        mesh.pass(milliseconds: 5_000)
        #expect(mesh.replica.counters[.digestAudits] == 0)
        #expect(mesh.replica.counters[.digestMismatches] == 0)
    }

    @Test(arguments: [1, 2])
    func `a cell that is older here is found within two heartbeats and mended from its bucket`(relays: Int) throws {
        var mesh = try mesh(relays: relays)
        for relay in mesh.relays { try slip("7", 700, into: relay.cache) }
        mesh.pass(milliseconds: 1_000)
        #expect(mesh.replica.cache["User", "7"]?["age"] == 700)
        #expect(mesh.isEqual(to: 0))
        #expect(mesh.replica.counters[.digestMismatches] == 1)
        #expect(mesh.replica.counters[.bucketsFetched] == 1)
        #expect(mesh.replica.counters[.holesMendedByBuckets] == 1)
        #expect(mesh.senders.allSatisfy { mesh.replica.state(of: $0) == .live })
        mesh.pass(milliseconds: 5_000)
        #expect(mesh.replica.counters[.digestMismatches] == 1)
    }

    @Test func `many differing buckets are fetched sixteen at a time`() throws {
        var mesh = try mesh()
        for id in 0..<100 { try slip("new-\(id)", 1, into: mesh.relays[0].cache) }
        mesh.pass(milliseconds: 1_000)
        #expect(mesh.isEqual(to: 0))
        let counts = mesh.relays[0].requests.compactMap { request -> Int? in
            guard case .snapshot(_, let prefixes, _) = request, prefixes[0].bytes.count > 7 else { return nil }
            return prefixes.count
        }
        #expect(counts.count >= 4)
        #expect(counts.allSatisfy { $0 <= 16 })
    }

    @Test func `digests are not compared while an origin's heads differ`() throws {
        var mesh = try mesh()
        // The relay has a batch of the other origin that is on its way to the replica.
        try mesh.write(1, "User", "new", ["age": 1], via: [])
        let told = mesh.relays[0].told()
        mesh.replica.receiveStream(
            mesh.senders[0], topic: Array("h/origin-0".utf8).span, payload: told[0].encode().span, now: mesh.now)
        mesh.exchange()
        // Its other head was not told yet, so a comparison was tried; the digests came with both heads.
        #expect(mesh.replica.counters[.digestAudits] <= 1)
        #expect(mesh.replica.counters[.digestMismatches] == 0)
        #expect(mesh.replica.counters[.bucketsFetched] == 0)
    }

    @Test func `what only this copy holds goes when its state is built anew`() throws {
        var mesh = try mesh(relays: 2)
        try slip("7", 700, into: mesh.replica.cache)
        try slip("phantom", 1, into: mesh.replica.cache)
        mesh.pass(milliseconds: 1_500)
        #expect(mesh.replica.counters[.irreparableDifferences] == 1)
        #expect(mesh.replica.counters[.holesMendedAnew] == 1)
        for stream in mesh.replica.streamStatus(now: mesh.now) {
            #expect(stream.holesFound == stream.holesMended.values.reduce(0, +))
            #expect(stream.lastRepair != nil)
        }
        #expect(mesh.notices.contains { $0.kind == .startedAnew })
        #expect(mesh.replica.cache["User", "7"]?["age"] == 7)
        #expect(mesh.replica.cache["User", "phantom"] == nil)
        #expect(mesh.isEqual(to: 0))
        #expect(mesh.senders.allSatisfy { mesh.replica.state(of: $0) == .live })
    }

    @Test func `a batch of an origin that was never heard of is a hole and no difference`() throws {
        var mesh = try Mesh(relays: 1, origins: 3)
        try mesh.connect()
        for id in 0..<100 { try mesh.write(id % 2, "User", "\(id)", ["age": .int(Int64(id))]) }
        mesh.pass(milliseconds: 500)
        // The relay has a batch of a third origin, which the replica has lost, and the heads of it.
        try mesh.write(2, "User", "new", ["age": 1], via: [])
        let told = mesh.relays[0].told()
        mesh.replica.receiveStream(
            mesh.senders[0], topic: Array("h/origin-0".utf8).span, payload: told[0].encode().span, now: mesh.now)
        mesh.exchange()
        mesh.pass(milliseconds: 300)
        #expect(mesh.replica.counters[.digestAudits] == 1)
        #expect(mesh.replica.counters[.digestMismatches] == 0)
        #expect(mesh.replica.counters[.bucketsFetched] == 0)
        #expect(mesh.replica.counters[.holesMendedByReplay] == 1)
        #expect(mesh.replica.cache["User", "new"]?["age"] == 1)
        #expect(mesh.isEqual(to: 0))
    }

    /// Two relays, of which only the first has what the first start of the origin wrote; both have all of the second.
    private func restartedMesh(isConnectedBefore: Bool) throws -> Mesh {
        var mesh = try Mesh(relays: 2, origins: 1)
        if isConnectedBefore { try mesh.connect() }
        let via = isConnectedBefore ? nil : [Int]()
        for id in 0..<20 { try mesh.write(0, "User", "\(id)", ["age": 1], to: [0], via: via) }
        mesh.time += 10_000_000
        // Heads are told of the last start only.
        mesh.relays[0].heads = [:]
        mesh.origins[0] = try Wire.makeOrigin(after: mesh.now.wallMilliseconds << 16, name: "origin-0")
        for id in 0..<5 { try mesh.write(0, "User", "\(id)", ["name": "new"], via: via) }
        if !isConnectedBefore { try mesh.connect() }
        return mesh
    }

    @Test(arguments: [true, false])
    func `what an earlier start wrote is no difference to a sender that has not got it`(
        isConnectedBefore: Bool
    ) throws {
        var mesh = try restartedMesh(isConnectedBefore: isConnectedBefore)
        mesh.pass(milliseconds: 30_000)
        #expect(mesh.isEqual(to: 0))
        #expect(mesh.replica.counters[.digestAudits] > 0)
        #expect(mesh.replica.counters[.digestMismatches] == 0)
        #expect(mesh.replica.counters[.renewals] == 0)
        // What only that sender has is found all the same.
        try slip("7", 700, into: mesh.relays[1].cache)
        mesh.pass(milliseconds: 70_000)
        #expect(mesh.replica.cache["User", "7"]?["age"] == 700)
    }

    @Test(arguments: [false, true])
    func `what a relay that lags for good comes to hold late is taken, where others only claim that it is here`(
        goesOn: Bool
    ) throws {
        var mesh = try mesh(relays: 2)
        // What one relay has acknowledged never reaches the other.
        try mesh.write(1, "User", "9", ["age": 900], to: [1], via: [1])
        mesh.pass(milliseconds: 1_000)
        // That relay says that it holds one more of another stream, and does not.
        let stream = try #require(mesh.relays[1].heads.keys.first { $0.origin == "origin-0" })
        let head = try #require(mesh.relays[1].heads[stream])
        mesh.relays[1].heads[stream] = head + 1
        mesh.pass(milliseconds: 20_000)
        #expect(mesh.replica.streamStatus(now: mesh.now).first { $0.origin == "origin-0" }?.applied == head + 1)
        // The other one comes to hold it by a copy, so no batch goes out.
        try mesh.write(0, "User", "7", ["age": 700], to: [0], via: [])
        // The next batch may go out before its heads do.
        if goesOn { try mesh.write(0, "User", "8", ["age": 800], to: [0], via: [0]) }
        mesh.pass(milliseconds: 30_000)
        #expect(mesh.replica.cache["User", "7"]?["age"] == 700)
        #expect(mesh.replica.cache["User", "9"]?["age"] == 900)
    }

    @Test func `what only a relay that lags for good has of an earlier start is taken from it, once`() throws {
        var mesh = try mesh(relays: 2)
        // The other relay was away, and so was this replica.
        try mesh.write(0, "User", "7", ["age": 700], to: [1], via: [])
        for relay in mesh.relays { relay.heads = relay.heads.filter { $0.key.origin != "origin-0" } }
        mesh.time += 1_000_000
        mesh.origins[0] = try Wire.makeOrigin(after: mesh.now.wallMilliseconds << 16, name: "origin-0")
        try mesh.write(0, "User", "8", ["age": 800], via: [0])
        // What one relay has acknowledged never reaches the other.
        try mesh.write(1, "User", "9", ["age": 900], to: [0], via: [0])
        mesh.pass(milliseconds: 10_000)
        #expect(mesh.replica.cache["User", "7"]?["age"] == 7)
        mesh.pass(milliseconds: 10_000)
        #expect(mesh.replica.cache["User", "7"]?["age"] == 700)
        #expect(mesh.replica.cache["User", "9"]?["age"] == 900)
        #expect(mesh.replica.counters[.digestMismatches] == 0)
        let fetched = mesh.replica.counters[.bucketsFetched]
        try slip("10", 1_000, into: mesh.relays[1].cache)
        mesh.pass(milliseconds: 120_000)
        #expect(mesh.replica.counters[.bucketsFetched] == fetched)
    }

    @Test(arguments: [true, false])
    func `what a start wrote that was never heard of is taken where a relay tells that there was one`(
        isTold: Bool
    ) throws {
        var mesh = try mesh(relays: 2)
        // A job's only batch reaches one relay, and is lost on the way from there.
        mesh.origins.append(try Wire.makeOrigin(name: "job"))
        try mesh.write(2, "User", "7", ["age": 700], to: [0], via: [])
        mesh.relays[0].heads = mesh.relays[0].heads.filter { $0.key.origin != "job" }
        // Before that relay's next heads the job has started again, and is met by its first batch.
        mesh.time += 100_000
        mesh.origins[2] = try Wire.makeOrigin(after: mesh.now.wallMilliseconds << 16, name: "job")
        if isTold { mesh.relays[0].formerOrigins = ["job"] }
        try mesh.write(2, "User", "8", ["age": 800])
        // What the other relay has acknowledged never reaches this one.
        try mesh.write(1, "User", "9", ["age": 900], to: [1], via: [1])
        mesh.pass(milliseconds: 20_000)
        #expect(mesh.replica.cache["User", "7"]?["age"] == (isTold ? 700 : 7))
        #expect(mesh.replica.cache["User", "9"]?["age"] == 900)
        #expect(mesh.replica.counters[.renewals] == 0)
    }
}
