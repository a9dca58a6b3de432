import ModelGrants
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import Modelcast

/// What subscribers of a stream are sent under grants.
@Suite struct StreamAudiencesTests {
    private static let types = ["A", "A.B", "AB", "B", "Secret"]

    private func grantee(_ name: String, reads patterns: [String]) -> Grantee {
        var rights = Rights()
        rights.subscriptions = patterns.compactMap { NamePattern($0) }
        return Grantee(name: name, rights: rights)
    }

    private func heads(_ origin: String, of types: [String], isRelayed: Bool = true) -> [UInt8] {
        Heads(
            origin: origin, incarnation: 1, stamp: 1,
            heads: types.map { Head(topic: .data(type: $0), sequence: 3, digest: 5) }, isRelayed: isRelayed
        ).encode()
    }

    /// What one who has subscribed gets of a message: its SUB takes what begins with a subscription, and the sender
    /// sends what begins with a filter.
    private func arrives(_ topic: [UInt8], subscribed prefixes: [[UInt8]], filters: [[UInt8]]) -> Bool {
        prefixes.contains { topic.starts(with: $0) } && filters.contains { topic.starts(with: $0) }
    }

    @Test func `a subscriber gets what it has subscribed to of the types that it may read, and no name of another`() {
        let patterns = ["A", "A*", "A.*", "AB", "B", "Sec*", "*", "Nothing"]
        let wanted = ["", "m", "m/", "m/A", "m/A/", "m/A/3", "m/A.", "m/Secret/", "h/", "h", "h/o", "x"]
        forEachSeed(3_000) { _, generator in
            var audiences = StreamAudiences()
            let peers = (0..<3).map { index in
                let chosen = patterns.filter { _ in Bool.random(using: &generator) }
                let prefixes = wanted.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
                return (grantee("peer-\(index)", reads: chosen), prefixes.map { Array($0.utf8) })
            }
            let filters = peers.map { peer, prefixes in
                prefixes.flatMap { audiences.filters(for: $0, of: peer) }
            }
            for type in StreamAudiencesTests.types {
                for topic in [Topic.data(type: type), .data(type: type, partitions: .sixteen, bucket: 48)] {
                    let sent = audiences.messages(topic.bytes, [1, 2]).map(\.topic)
                    try #require(sent == [topic.bytes])
                    for (index, (peer, prefixes)) in peers.enumerated() {
                        let isWanted = prefixes.contains { topic.bytes.starts(with: $0) }
                        let isHere = arrives(topic.bytes, subscribed: prefixes, filters: filters[index])
                        try #require(isHere == (isWanted && peer.rights.mayRead(type)), "\(peer) \(topic)")
                    }
                }
            }
            let sent = audiences.messages(Topic.heads(origin: "o").bytes, heads("o", of: StreamAudiencesTests.types))
            for (index, (peer, prefixes)) in peers.enumerated() {
                let got = sent.filter { arrives($0.topic, subscribed: prefixes, filters: filters[index]) }
                let told = try got.flatMap { message -> [String] in
                    guard case .heads(let heads) = try StreamFrame(decoding: message.payload.span) else { return [] }
                    return heads.heads.compactMap(\.topic.type)
                }
                let readable = StreamAudiencesTests.types.filter(peer.rights.mayRead)
                let isAsked = prefixes.contains { Topic.headsPrefix.bytes.starts(with: $0) }
                if isAsked { try #require(Set(told) == Set(readable)) }
                try #require(Set(told).isSubset(of: readable))
            }
        }
    }

    @Test func `a barrier is answered to the one who raised it, with what it may read, until it is lowered`() throws {
        var audiences = StreamAudiences()
        let (one, other) = (grantee("one", reads: ["A"]), grantee("other", reads: ["*"]))
        let barriers = (0..<2).map { Topic.barrier([UInt8](repeating: UInt8($0), count: 16)).bytes }
        #expect(audiences.filters(for: barriers[0], of: one) == [barriers[0]])
        #expect(audiences.filters(for: barriers[1], of: other) == [barriers[1]])
        // A relay answers with the heads of each origin. One of which nothing may be read is not told.
        #expect(audiences.messages(barriers[0], heads("hidden", of: ["Secret"])).isEmpty)
        let answer = try #require(audiences.messages(barriers[0], heads("o", of: ["A", "Secret"])).first)
        #expect(answer.payload == heads("o", of: ["A"]))
        #expect(
            audiences.messages(barriers[1], heads("o", of: ["Secret"])).map(\.payload) == [heads("o", of: ["Secret"])])
        // The own heads of a sender are its heartbeat.
        let own = heads("sender", of: ["Secret"], isRelayed: false)
        #expect(audiences.messages(barriers[0], own).map(\.payload) == [heads("sender", of: [], isRelayed: false)])
        audiences.lower(barriers[0], of: other)
        #expect(!audiences.messages(barriers[0], own).isEmpty)
        audiences.lower(barriers[0], of: one)
        #expect(audiences.messages(barriers[0], own).isEmpty)
    }

    @Test func `one who raises barriers without end has only itself to forget`() {
        var audiences = StreamAudiences()
        let (one, other) = (grantee("one", reads: ["A"]), grantee("other", reads: ["A"]))
        func barrier(_ number: Int) -> [UInt8] { Topic.barrier(Array("\(number + 1_000_000_000_000_000)".utf8)).bytes }
        _ = audiences.filters(for: barrier(0), of: other)
        for number in 1...1_000 { _ = audiences.filters(for: barrier(number), of: one) }
        let answered = (0...1_000).filter { !audiences.messages(barrier($0), heads("o", of: ["A"])).isEmpty }
        #expect(answered == [0] + Array(745...1_000))
    }

    @Test func `a short barrier, or one of somebody else, is none, and no subscription is too long`() {
        var audiences = StreamAudiences()
        let (one, other) = (grantee("one", reads: ["A"]), grantee("other", reads: ["*"]))
        let barrier = Topic.barrier([UInt8](repeating: 7, count: 16)).bytes
        #expect(audiences.filters(for: barrier, of: other) == [barrier])
        #expect(audiences.filters(for: barrier, of: one).isEmpty)
        #expect((1...16).allSatisfy { audiences.filters(for: Array(barrier.prefix($0)), of: one).isEmpty })
        for prefix in ["h/", "m/A/", "x"] {
            let long = Array(prefix.utf8) + [UInt8](repeating: 65, count: 4_000)
            #expect(audiences.filters(for: long, of: one).isEmpty)
        }
    }

    @Test func `an origin without a topic that may be read is not named, whether it has others, none, or stops`() {
        var audiences = StreamAudiences()
        _ = audiences.filters(for: Array("h/".utf8), of: grantee("one", reads: ["A"]))
        func tells(_ origin: String, _ payload: [UInt8]) -> Bool {
            !audiences.messages(Topic.heads(origin: origin).bytes, payload).isEmpty
        }
        let bye = Bye(origin: "o", incarnation: 1, stamp: 2).encode()
        #expect(!tells("o", heads("o", of: ["Secret"])) && !tells("o", heads("o", of: [])) && !tells("o", bye))
        #expect(tells("o", heads("o", of: ["A"])))
        // From now on it is known: a later start without a topic, and its end, are told.
        #expect(tells("o", heads("o", of: [])) && tells("o", heads("o", of: ["Secret"])) && tells("o", bye))
        // The sender itself is there at once.
        #expect(tells("me", heads("me", of: [], isRelayed: false)))
        #expect(tells("me", Bye(origin: "me", incarnation: 1, stamp: 2).encode()))
    }
}
