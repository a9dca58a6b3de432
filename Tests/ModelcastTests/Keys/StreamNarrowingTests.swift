import ModelGrants
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import Modelcast

/// What a stream brings to those who may read some types only.
@Suite struct StreamNarrowingTests {
    private static let types = ["A", "A.B", "AB", "B", "Secret"]

    private func narrowing(_ patterns: String...) -> StreamNarrowing {
        StreamNarrowing(to: patterns.compactMap { NamePattern($0) })
    }

    private func heads(_ origin: String, of types: [String], isRelayed: Bool = true) -> [UInt8] {
        Heads(
            origin: origin, incarnation: 1, stamp: 1,
            heads: types.map { TopicHead(topic: .data(type: $0), sequence: 3, digest: 5) }, isRelayed: isRelayed
        ).encode()
    }

    private func barrier(_ number: Int) -> [UInt8] {
        Topic.barrier(Array("\(number + 1_000_000_000_000_000)".utf8)).bytes
    }

    @Test func `batches and heads come of the types that may be read, and no name of another`() {
        let patterns = ["A", "A*", "A.*", "AB", "B", "Sec*", "*", "Nothing"]
        forEachSeed(3_000) { _, generator in
            var rights = Rights()
            rights.subscriptions = patterns.filter { _ in Bool.random(using: &generator) }.compactMap(NamePattern.init)
            var stream = StreamNarrowing(to: rights.readable)
            for type in StreamNarrowingTests.types {
                for topic in [Topic.data(type: type), .data(type: type, partitions: .sixteen, bucket: 48)] {
                    try #require(stream.payload(topic.bytes, [1, 2]) == (rights.mayRead(type) ? [1, 2] : nil))
                }
            }
            let told = stream.payload(Topic.heads(origin: "o").bytes, heads("o", of: StreamNarrowingTests.types))
            let readable = StreamNarrowingTests.types.filter(rights.mayRead)
            try #require(told == (readable.isEmpty ? nil : heads("o", of: readable)))
        }
    }

    @Test func `a barrier is answered where it was raised, with what may be read there, until it is lowered`() {
        var (one, other) = (narrowing("A"), narrowing("Secret"))
        one.subscribed(to: barrier(1), isNew: true)
        #expect(other.payload(barrier(1), heads("o", of: ["Secret"])) == nil)
        // A relay answers with the heads of each origin. One of which nothing may be read is not told.
        #expect(one.payload(barrier(1), heads("hidden", of: ["Secret"])) == nil)
        #expect(one.payload(barrier(1), heads("o", of: ["A", "Secret"])) == heads("o", of: ["A"]))
        // The own heads of a sender are its heartbeat.
        let own = heads("sender", of: ["Secret"], isRelayed: false)
        #expect(one.payload(barrier(1), own) == heads("sender", of: [], isRelayed: false))
        one.subscribed(to: barrier(1), isNew: false)
        #expect(one.payload(barrier(1), own) == nil)
    }

    @Test func `barriers without end are forgotten, the oldest first, and a short one is none`() {
        var stream = narrowing("A")
        let count = StreamNarrowing.barrierCountMax
        for number in 0..<count + 10 { stream.subscribed(to: barrier(number), isNew: true) }
        for length in 1...16 { stream.subscribed(to: Array(barrier(count + 20).prefix(length)), isNew: true) }
        let answered = (0..<count + 30).filter { stream.payload(barrier($0), heads("o", of: ["A"])) != nil }
        #expect(answered == Array(10..<count + 10))
        #expect(stream.payload([0xFF], heads("o", of: ["A"])) == nil)
    }

    @Test func `an origin without a topic that may be read is not named, whether it has others, none, or stops`() {
        var stream = narrowing("A")
        func tells(_ origin: String, _ payload: [UInt8]) -> Bool {
            stream.payload(Topic.heads(origin: origin).bytes, payload) != nil
        }
        let bye = Bye(origin: "o", incarnation: 1, stamp: 2).encode()
        #expect(!tells("o", heads("o", of: ["Secret"])) && !tells("o", heads("o", of: [])) && !tells("o", bye))
        #expect(tells("o", heads("o", of: ["A"])))
        // From now on it is known: a later start without a topic, and its end, are told.
        #expect(tells("o", heads("o", of: [])) && tells("o", heads("o", of: ["Secret"])) && tells("o", bye))
        // The sender itself is there at once.
        #expect(tells("me", heads("me", of: [], isRelayed: false)))
        #expect(tells("me", Bye(origin: "me", incarnation: 1, stamp: 2).encode()))
        #expect(!tells("o", [1, 2, 3]))
    }

    @Test func `keys that may read the same types have the same patterns`() throws {
        func readable(_ words: String) throws -> [String] {
            let key = String(repeating: "a", count: 40)
            let grants = try Grants(parsing: "grant \(key) name \(words)")
            return try #require(grants.all.first).rights.readable.map(\.description)
        }
        #expect(try readable("subscribe:B subscribe:A") == ["A", "B"])
        #expect(try readable("subscribe:A publish:B origin=o subscribe:A") == ["A", "B"])
        #expect(try readable("subscribe:A* subscribe:AB subscribe:A.B* publish:C origin=o") == ["A*", "C"])
        #expect(try readable("subscribe:A subscribe:*") == ["*"] && readable("operate subscribe:A") == ["*"])
        #expect(try readable("relay") == [])
    }
}
