@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// What a sender says of another origin keeps no copies from being compared.
@Suite struct ClaimComparisonTests {
    private let topic = Topic.data(type: "User")

    @Test func `copies are compared though one has claimed to hold topics that nobody else knows`() throws {
        var field = try ClaimField(isRelayed: true)
        field.falseHead = .max - 1
        try field.write("before")
        var claimed = field.of(field.origin, .max - 1)
        claimed.heads.append(
            TopicHead(topic: .data(type: "User", partitions: .twoHundredFiftySix, bucket: 13), sequence: .max))
        field.lie = [claimed]
        try field.connect()
        try field.pass(milliseconds: 1_000)
        try field.write("hidden", isLost: true)
        try field.pass(milliseconds: 20_000)
        #expect(field.holds("before") && field.holds("hidden"))
    }

    @Test func `heads that nobody has sent, told again and again, keep no copies from being compared`() throws {
        var field = try ClaimField(isRelayed: true)
        field.falseHead = 1
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 20_000)
        // Whatever the cause: this copy lacks something, at equal heads.
        field.replica.cache.commit { $0.overwrite(type: "User", id: "before", with: nil) }
        field.lie = [field.of(field.origin, 0)]
        let key = StreamKey(origin: "origin", topic: topic)
        for head: UInt64 in 2..<80 {
            // Neither sender has been right always, so that neither is believed less than the other.
            field.replica.accuse(field.honest, of: key, now: field.now)
            try field.pass(milliseconds: 500, liarTells: field.of(field.origin, head % 2 == 0 ? .max : head))
        }
        #expect(field.replica.counters[.holesFound] > 30)
        #expect(field.holds("before"))
    }

    @Test func `copies are compared though a sender was told for long what the origin has not sent`() throws {
        var field = try ClaimField(isRelayed: false)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        // Another sender, a relay, has what is here and one model more; what it tells of the origin is not so.
        var other = try Wire.makeOrigin(name: "other")
        _ = try other.write(.merge, type: "User", id: "more", fields: EncodedFields(["a": 1]), now: field.now)
        let records = Array(field.origin.cache.snapshot().records(of: "User"))
        other.cache.commit { $0.join(records, type: "User") }
        field.liarCopy = other.cache
        var told = field.of(field.origin, .max - 1)
        told.isRelayed = true
        told.heads[0].digest = other.cache.digest(of: "User")
        field.lie = [told]
        try field.pass(milliseconds: 10_000, liarTells: told)
        #expect(!field.holds("more"))
        try field.pass(milliseconds: 20_000, liarTells: told)
        #expect(field.holds("before") && field.holds("more"))
        #expect(field.stream?.head == 1)
    }
}
