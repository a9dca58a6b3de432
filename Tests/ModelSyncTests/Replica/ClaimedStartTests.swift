import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// A later start of an origin that only others tell, while the one before goes on.
@Suite struct ClaimedStartTests {
    @Test func `a batch that is dropped as too old beside a claimed start is missed where its own is followed again`()
        throws
    {
        var field = try ClaimField(isRelayed: false)
        try field.write("before")
        field.replica.connected(field.liar, now: field.now)
        try field.exchange()
        field.time += 1_000_000
        field.hear(field.liar, field.of(field.origin, 3, incarnation: (field.now.wallMilliseconds + 1_000) << 16))
        // The copy of the origin is on its way, without this batch.
        field.late.isHolding = true
        field.replica.connected(field.honest, now: field.now)
        try field.exchange()
        try field.write("late", isLost: true)
        let batch = try #require(field.sent[2])
        // The clock here is two days ahead, for a moment.
        let leap = Moment(
            wallMilliseconds: field.now.wallMilliseconds + 2 * 86_400_000,
            uptimeMicroseconds: field.now.uptimeMicroseconds)
        field.replica.receiveStream(
            field.honest, topic: Topic.data(type: "User").bytes.span, payload: batch.span, now: leap)
        #expect(field.replica.counters[.expiredBatches] == 1 && !field.holds("late"))
        field.late.isHolding = false
        for reply in field.late.replies {
            field.replica.receiveControl(field.honest, reply.encode().span, now: field.now)
        }
        try field.pass(milliseconds: 5_000)
        let stream = try #require(field.stream)
        #expect(stream.incarnation == field.origin.incarnation && stream.applied == 2)
        #expect(field.holds("before") && field.holds("late"))
    }
}
