import ModelCache
import ModelGrants
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// What a sender may say, where there are grants.
@Suite struct SenderRightsTests {
    /// A publisher that is heard directly or by a relay, and a liar whose key may write `User` as itself.
    private func field(
        liar words: String = "publish:User origin=liar", isRelayed: Bool = false
    ) throws -> ClaimField {
        let field = try ClaimField(isRelayed: isRelayed)
        func grantee(_ name: String, _ words: String) throws -> Grantee {
            let grants = try Grants(parsing: "grant \(String(repeating: "a", count: 40)) \(name) \(words)")
            return Grantee(name: name, rights: try #require(grants.all.first).rights)
        }
        let honest = try isRelayed ? grantee("relay-a", "relay") : grantee("origin", "publish:* origin=origin")
        field.replica.grant(honest, to: field.honest)
        field.replica.grant(try grantee("liar", words), to: field.liar)
        return field
    }

    /// A batch as if `origin` had written it next.
    private func batch(_ field: ClaimField, as origin: String, incarnation: UInt64? = nil) throws -> [UInt8] {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: field.now.wallMilliseconds << 16 + 9, id: "forged", fields: ["a": -1])
        let start = incarnation ?? field.origin.incarnation
        return writer.finish(origin: origin, incarnation: start, sequence: UInt64(field.sent.count + 1))
    }

    private func isDenied(_ field: ClaimField, since before: UInt64 = 0) -> Bool {
        field.replica.counters[.deniedMessages] > before
    }

    @Test func `a batch in the name of another is dropped, on the stream and in a later start`() throws {
        var field = try field()
        try field.write("before")
        try field.connect()
        let topic = Topic.data(type: "User").bytes
        for incarnation in [field.origin.incarnation, field.now.wallMilliseconds << 16] {
            let before = field.replica.counters[.deniedMessages]
            let payload = try batch(field, as: "origin", incarnation: incarnation)
            field.replica.receiveStream(field.liar, topic: topic.span, payload: payload.span, now: field.now)
            #expect(isDenied(field, since: before))
        }
        // The honest batch of that number is merged when it comes, and what the liar writes as itself is, too.
        try field.write("after")
        let own = try batch(field, as: "liar")
        field.replica.receiveStream(field.liar, topic: topic.span, payload: own.span, now: field.now)
        try field.pass(milliseconds: 1_000)
        #expect(field.holds("before") && field.holds("after") && field.replica.cache["User", "forged"] != nil)
        #expect(field.stream?.applied == 2 && field.stream?.missing == 0)
        let other = Topic.data(type: "Order").bytes
        let before = field.replica.counters[.deniedMessages]
        field.replica.receiveStream(field.liar, topic: other.span, payload: own.span, now: field.now)
        #expect(isDenied(field, since: before) && field.replica.cache.types == ["User"])
    }

    @Test(arguments: [false, true])
    func `heads and byes of others are dropped, in the stream and in replies, and move nothing`(
        isRelayed: Bool
    ) throws {
        var field = try field(isRelayed: isRelayed)
        try field.write("before")
        field.lie = [field.of(field.origin, .max)]
        try field.connect()
        try field.pass(milliseconds: 1_000, liarTells: field.of(field.origin, .max, incarnation: .max >> 1))
        let before = field.replica.counters[.deniedMessages]
        let bye = Bye(origin: "origin", incarnation: .max, stamp: .max).encode()
        field.replica.receiveStream(
            field.liar, topic: Topic.heads(origin: "origin").bytes.span, payload: bye.span, now: field.now)
        #expect(isDenied(field, since: before))
        for number in 0..<5 { try field.write("\(number)") }
        try field.pass(milliseconds: 1_000)
        #expect((0..<5).allSatisfy { field.holds("\($0)") })
        #expect(field.stream?.applied == 6 && field.stream?.head == 6 && field.stream?.missing == 0)
        // What is denied is no claim: nothing was believed that could be contradicted.
        #expect(field.replica.counters[.contradictedHeads] == 0)
        #expect(field.replica.senderStatus(now: field.now).allSatisfy { $0.state == .live })
    }

    @Test func `a record is taken where each version in it is of an origin that its sender may be`() throws {
        var field = try field()
        let now = field.now
        func origin(_ name: String, _ write: Write, _ id: String) throws {
            var origin = try Origin(
                configuration: OriginConfiguration(name: name, streamEndpoint: ""), cache: field.liarCopy, now: now,
                after: 0)
            let fields: Fields = write == .delete ? [:] : [name: 1]
            _ = try origin.write(write, type: "User", id: id, fields: EncodedFields(fields), now: now)
        }
        try origin("liar", .merge, "own")
        try origin("origin", .merge, "cell")
        try origin("liar", .merge, "mixed")
        try origin("origin", .merge, "mixed")
        try origin("liar", .merge, "replaced")
        try origin("origin", .replace, "replaced")
        field.liarRecords = [
            ("Invented", [0x84, 0x61, 0x31, 0xF6, 0xF6, 0xA0]), ("User", [0x84, 0x61, 0x32, 0xF6, 0xF6, 0xA0]),
        ]
        try field.connect()
        try field.pass(milliseconds: 1_000)
        let held = field.replica.cache.snapshot().records(of: "User").map(\.id).sorted()
        #expect(held == ["own"])
        // One without any version would make a type of its name.
        #expect(field.replica.cache.types == ["User"])
        #expect(field.replica.counters[.deniedMessages] == 5)
    }

    @Test func `a part of a transaction that names what its sender may not bring is dropped, and holds nothing up`()
        throws
    {
        var field = try field()
        try field.connect()
        let own = Topic.data(type: "User")
        var writer = BatchWriter()
        try writer.append(.merge, stamp: field.now.wallMilliseconds << 16 + 9, id: "part", fields: ["a": -1])
        let part = writer.finish(
            origin: "liar", incarnation: 1, sequence: 1, group: [own, .data(type: "Order")])
        field.replica.receiveStream(field.liar, topic: own.bytes.span, payload: part.span, now: field.now)
        #expect(isDenied(field) && field.replica.groups.isEmpty)
    }

    @Test func `records from the future that a sender may not bring, or another sender, keep nobody from being live`()
        throws
    {
        for isGranted in [true, false] {
            var field = try field()
            let name = isGranted ? "liar" : "origin"
            let later = Moment(
                wallMilliseconds: field.now.wallMilliseconds + 86_400_000,
                uptimeMicroseconds: field.now.uptimeMicroseconds)
            var forger = try Origin(
                configuration: OriginConfiguration(name: name, streamEndpoint: ""), cache: field.liarCopy, now: later,
                after: 0)
            _ = try forger.write(.merge, type: "User", id: "future", fields: EncodedFields(["a": 1]), now: later)
            try field.connect()
            try field.pass(milliseconds: 1_000)
            let states = field.replica.senderStatus(now: field.now).map(\.state)
            #expect(states[field.honest.index] == .live)
            #expect((states[field.liar.index] == .live) == !isGranted)
        }
    }

    @Test func `each origin is told to the log once for a sender, with the key and what to grant`() throws {
        var field = try field()
        try field.connect()
        for number in 0..<1_000 {
            let origin = "other-\(number % 300)"
            field.hear(field.liar, Heads(origin: origin, incarnation: 1, stamp: 1, heads: []))
        }
        try field.exchange()
        let told = field.notices.filter { $0.kind == .denied }
        #expect(told.count == 256 && Set(told.compactMap { $0.metadata["origin"] }).count == 256)
        #expect(told.allSatisfy { $0.metadata["key"] == "liar" && $0.metadata["advice"]?.contains("relay") == true })
        #expect(field.replica.counters[.deniedMessages] == 1_000)
        let status = field.replica.senderStatus(now: field.now)[field.liar.index]
        #expect(status.lastError?.contains("liar may not speak for") == true && status.state == .live)
    }

    @Test(arguments: ["publish:User origin=liar", "relay"])
    func `a sender that bears the name of an origin that it may not be is not that origin`(words: String) throws {
        var field = try field(liar: words, isRelayed: words == "relay")
        field.liarName = "origin"
        try field.write("before")
        try field.connect()
        field.hear(field.liar, field.of(field.origin, .max, incarnation: field.now.wallMilliseconds << 16))
        for number in 0..<5 { try field.write("\(number)") }
        try field.pass(milliseconds: 1_000)
        #expect((0..<5).allSatisfy { field.holds("\($0)") })
        #expect(field.stream?.applied == 6 && field.stream?.head == 6 && field.stream?.missing == 0)
    }
}
