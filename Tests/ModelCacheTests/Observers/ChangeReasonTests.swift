@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import Testing

@Suite struct ChangeReasonTests {
    /// A cache with observed users, to which updates are written.
    private struct Watched {
        let cache = ModelCache()
        let stream: ChangeStream

        init() { stream = cache.changes(.type("User")) }

        func write(
            _ operation: UpdateOperation, _ fields: Fields = [:], by origin: String, at milliseconds: UInt64
        ) throws {
            var batch = BatchWriter()
            let encoded = try EncodedFields(fields)
            batch.append(
                operation, stamp: milliseconds << 16, id: "1".utf8.span, fields: encoded.bytes.span,
                fieldCount: encoded.count)
            let frame = batch.finish(origin: origin, incarnation: 1, sequence: 1)
            var decoder = BatchDecoder()
            try decoder.decode(frame.span)
            cache.commit(decoder.batch(in: frame.span), type: "User")
        }

        /// Ends the stream, and gives the reasons of all that it was told.
        func reasons() async -> [ChangeReason] {
            cache.endStreams()
            var reasons: [ChangeReason] = []
            for await changes in stream { reasons += changes.map(\.reason) }
            return reasons
        }
    }

    private static let end: UInt64 = 1_800_000_000_000

    @Test(arguments: [
        ("a", 0, ChangeReason.expired), ("a", 1, .expired), ("a", -1, .deleted), ("b", 1, .deleted),
    ])
    func `a model that its publisher has ended at its time has expired, and one that somebody has deleted was deleted`(
        deleter: String, late: Int, reason: ChangeReason
    ) async throws {
        let watched = Watched()
        let end = ChangeReasonTests.end
        try watched.write(.merge, ["$expires": .int(Int64(end))], by: "a", at: end - 1_000)
        try watched.write(.delete, by: deleter, at: UInt64(Int(end) + late))
        #expect(await watched.reasons() == [.written, reason])
    }

    @Test func `a model without an end was deleted, and one that was written anew has been written`() async throws {
        let watched = Watched()
        let end = ChangeReasonTests.end
        try watched.write(.merge, ["age": 1], by: "a", at: end - 1_000)
        try watched.write(.delete, by: "a", at: end)
        #expect(await watched.reasons() == [.written, .deleted])
        let other = Watched()
        try other.write(.merge, ["age": 1, "$expires": .int(Int64(end))], by: "a", at: end - 1_000)
        try other.write(.delete, by: "a", at: end)
        try other.write(.merge, ["age": 2], by: "a", at: end + 1)
        #expect(await other.reasons() == [.written, .expired, .written])
    }
}
