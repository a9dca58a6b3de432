import ModelGrants
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// What is kept of errors of peers.
@Suite struct DistinctErrorsTests {
    @Test func `each kind of each peer is kept once, with its count, and the oldest give way`() {
        forEachSeed(100) { _, generator in
            var errors = DistinctErrors()
            var noted: [[String]: [UInt64]] = [:]
            for step in 1...2_000 as ClosedRange<UInt64> {
                errors.clock = step
                let kind = "kind-\(Int.random(in: 0..<4, using: &generator))"
                let peer = "peer-\(Int.random(in: 0..<100, using: &generator))"
                errors.note(kind, of: peer, "at \(step)")
                noted[[kind, peer], default: []].append(step)
            }
            let all = errors.all
            #expect(all.count == DistinctErrors.countMax)
            // The ones that happened last are here, the last one first.
            let last = noted.sorted { $0.value.last! > $1.value.last! }.prefix(DistinctErrors.countMax)
            #expect(all.map { [$0.kind, $0.peer] } == last.map(\.key))
            for (error, (_, steps)) in zip(all, last) {
                // One that gave way and came back counts anew.
                #expect(steps.suffix(Int(error.count)).first == error.firstMilliseconds)
                #expect(error.lastMilliseconds == steps.last && error.example == "at \(steps.last!)")
            }
            let kept = all.reduce(0) { $0 + $1.count }
            #expect(errors.forgottenCount > 0 && kept <= 2_000)
        }
    }

    @Test func `an example stays on one line and is cut off`() throws {
        var errors = DistinctErrors()
        errors.note("malformed", of: "p", "a\nb" + String(repeating: "x", count: 10_000))
        let error = try #require(errors.all.first)
        #expect(error.example.hasPrefix("a\\nb") && error.example.utf8.count < 1_000)
    }

    @Test func `a refused request is kept by the name of the key, and counted for its connection`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        let grants = try Grants(parsing: "grant \(String(repeating: "k", count: 40)) dash subscribe:User")
        let grant = try #require(grants.all.first)
        let owner = Grantee(key: grant.key, name: grant.name, rights: grant.rights)
        for rid in 1...3 as ClosedRange<UInt64> {
            _ = network.ask(.origin(0), .push(rid: rid, topic: .data(type: "User"), batch: []), from: [1], as: owner)
        }
        _ = network.ask(.origin(0), .digest(rid: 4, type: "User", bits: 60), from: [2], as: owner)
        let errors = network.origins[0].distinctErrors.all
        #expect(Set(errors.map(\.kind)) == ["denied", "limit"])
        #expect(errors.allSatisfy { $0.peer == "dash" && $0.firstMilliseconds > 0 })
        #expect(errors.first { $0.kind == "denied" }?.count == 3)
        let peers = network.origins[0].connectedPeers
        let tally = try #require(peers.first { $0.identity == [1] }).tally
        #expect(tally.requestCount == 3 && tally.refusedCount == 3 && tally.deniedCount == 3 && tally.pushCount == 0)
        #expect(peers.allSatisfy { $0.keyName == "dash" })
    }

    @Test func `clients that were not let in are kept by reason, under one name`() {
        var service = RelayNetwork()
        #expect(throws: Never.self) { try service.addRelay("relay") }
        let relay = service.relays[0]
        for number in 0..<1_000 {
            relay.countRefused(
                [RefusedClients(reason: "its key has no grant", key: "key-\(number)", count: 2)], now: service.now)
        }
        let errors = relay.distinctErrors
        #expect(errors.count == 1 && errors[0].count == 2_000 && errors[0].example.hasSuffix("key-999"))
        #expect(relay.counters[.refusedClients] == 2_000)
    }
}
