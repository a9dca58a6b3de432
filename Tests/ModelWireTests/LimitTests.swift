import ModelCBOR
import ModelRecord
import ModelWire
import TestSupport
import Testing

/// Each limit at its edge and one past it, for who writes and for who reads.
@Suite struct LimitTests {
    @Test func `limits are brought below the ceiling and above nothing`() {
        let none = WireLimits(frameByteCount: 0, updateCount: -1, fieldCount: 0, valueByteCount: .min, depth: 0)
        #expect(none.frameByteCount == 1 && none.updateCount == 1 && none.fieldCount == 1)
        #expect(none.valueByteCount == 1 && none.depth == 1)
        let most = WireLimits.ceiling
        #expect(most.frameByteCount == 16 << 20 && most.updateCount == 65_535 && most.fieldCount == 4096)
        #expect(most.valueByteCount == 8 << 20 && most.depth == 64)
        let usual = WireLimits.default
        #expect(usual.frameByteCount == 1 << 20 && usual.updateCount == 4096 && usual.fieldCount == 1024)
        #expect(usual.valueByteCount == 256 << 10 && usual.depth == 16)
    }

    @Test(arguments: 0..<FrameSample.kindCount)
    func `a frame of the greatest size is read, and one byte more is not`(kind: Int) throws {
        var generator = SeededGenerator(seed: 3)
        let sample = try FrameSample.random(kind: kind, using: &generator)
        let frame = sample.encode()
        #expect(try sample.decoding(frame, limits: WireLimits(frameByteCount: frame.count)) == sample)
        do throws(WireError) {
            _ = try sample.decoding(frame, limits: WireLimits(frameByteCount: frame.count - 1))
            Issue.record("a frame past the limit was read")
        } catch {
            #expect(error.code == .limit && !error.isMalformed)
        }
    }

    private func batch(updates count: Int) -> [UInt8] {
        var writer = BatchWriter()
        for index in 0..<count {
            writer.append(.merge, stamp: UInt64(index), id: "1".utf8.span, fields: Span(), fieldCount: 0)
        }
        return writer.finish(origin: "a", incarnation: 1, sequence: 1)
    }

    @Test(arguments: [1, 3, 4096], [false, true])
    func `a batch of the greatest number of updates is read, and one more is not`(limit: Int, isSloppy: Bool) throws {
        let limits = WireLimits(updateCount: limit)
        var sloppy = SloppyEncoder(seed: 1)
        let frames = [batch(updates: limit), batch(updates: limit + 1)].map { isSloppy ? sloppy.rewrite($0) : $0 }
        #expect(try BatchSample(decoding: frames[0], limits: limits).updates.count == limit)
        do throws(WireError) {
            _ = try BatchSample(decoding: frames[1], limits: limits)
            Issue.record("too many updates were read")
        } catch {
            #expect(error.code == .limit)
        }
    }

    @Test func `a writer says when the next update does not fit`() throws {
        var writer = BatchWriter()
        let limits = WireLimits(frameByteCount: 2000, updateCount: 3)
        #expect(writer.hasRoom(fieldsByteCount: 2000 - BatchWriter.envelopeByteCountMax, limits: limits))
        #expect(!writer.hasRoom(fieldsByteCount: 2001 - BatchWriter.envelopeByteCountMax, limits: limits))
        for index in 0..<3 {
            #expect(writer.hasRoom(fieldsByteCount: 100, limits: limits))
            try writer.append(.merge, stamp: UInt64(index), id: "1")
        }
        #expect(!writer.hasRoom(fieldsByteCount: 0, limits: limits))
    }

    @Test func `an update that has room makes frames within the limit, even with the longest names`() {
        let limits = WireLimits(frameByteCount: 4096)
        let fields = [UInt8](repeating: 0, count: limits.frameByteCount - BatchWriter.envelopeByteCountMax)
        let id = String(repeating: "i", count: 255)
        var writer = BatchWriter()
        #expect(writer.hasRoom(fieldsByteCount: fields.count, limits: limits))
        writer.begin(stamp: 0)
        writer.append(.merge, stamp: .max, id: id.utf8.span, fields: fields.span, fieldCount: 4096)
        var frame = writer.finish(
            origin: String(repeating: "o", count: 64), incarnation: .max, sequence: .max, awaitsSeal: true)
        // As many bytes as the longest seal has, with the head of its byte string.
        frame += [0x58, 234] + [UInt8](repeating: 0, count: 234)
        #expect(frame.count <= limits.frameByteCount)
        // Jobs push it, and senders replay it, in a frame of its own.
        let topic = Topic.data(
            type: String(repeating: "t", count: 64), partitions: .twoHundredFiftySix, bucket: 255)
        #expect(ControlRequest.push(rid: .max, topic: topic, batch: frame).encode().count <= limits.frameByteCount)
        #expect(ControlReply.frame(rid: .max, topic: topic, batch: frame).encode().count <= limits.frameByteCount)
    }

    @Test func `fields up to the limit are written and read, and one more is refused on both sides`() throws {
        let limits = WireLimits(fieldCount: 5)
        let within = Fields(Dictionary(uniqueKeysWithValues: (0..<5).map { ("f\($0)", 1) }))
        let beyond = Fields(Dictionary(uniqueKeysWithValues: (0..<6).map { ("f\($0)", 1) }))
        try expectAccepted(within, limits: limits)
        try expectRefused(beyond, limits: limits, reason: .fieldCount, mentions: "6 fields")
    }

    @Test func `a value of the greatest size is written and read, and one byte more is refused on both sides`() throws {
        let limits = WireLimits(valueByteCount: 100)
        // A text of 98 bytes takes a head of two.
        try expectAccepted(["v": .text(String(repeating: "x", count: 98))], limits: limits)
        try expectRefused(
            ["v": .text(String(repeating: "x", count: 99))], limits: limits, reason: .valueSize, mentions: "\"v\"")
        try expectAccepted(["v": .array([Value](repeating: 1, count: 98))], limits: limits)
        try expectRefused(
            ["v": .array([Value](repeating: 1, count: 99))], limits: limits, reason: .valueSize, mentions: "\"v\"")
    }

    @Test(arguments: [1, 16, 64])
    func `nesting up to the limit is written and read, and one level more is refused on both sides`(depth: Int) throws {
        let limits = WireLimits(depth: depth)
        let shapes: [(Value) -> Value] = [{ .array([$0]) }, { .map(["k": $0]) }, { .array([1, $0, 2]) }]
        for wrap in shapes {
            var value: Value = 1
            for _ in 0..<depth { value = wrap(value) }
            try expectAccepted(["v": value], limits: limits)
            try expectRefused(["v": wrap(value)], limits: limits, reason: .depth, mentions: "\"v\"")
        }
        // A tag is a level too.
        var value: Value = .timestamp(1)
        for _ in 0..<(depth - 1) { value = .array([value]) }
        try expectAccepted(["v": value], limits: limits)
        try expectRefused(["v": .array([value])], limits: limits, reason: .depth, mentions: "\"v\"")
    }

    private func expectAccepted(_ fields: Fields, limits: WireLimits) throws {
        let encoded = try EncodedFields(fields, limits: limits)
        var decoder = BatchDecoder(limits: limits)
        let sample = BatchSample(updates: [.init(operation: .merge, stamp: 100, id: "1", fields: encoded)])
        #expect(try BatchSample(decoding: sample.encode(), with: &decoder) == sample)
        #expect(decoder.refused.isEmpty)
    }

    private func expectRefused(
        _ fields: Fields, limits: WireLimits, reason: RefusedUpdate.Reason, mentions text: String
    ) throws {
        do throws(WireError) {
            _ = try EncodedFields(fields, limits: limits)
            Issue.record("fields past a limit were written")
        } catch {
            #expect(error.code == .limit && error.description.contains(text), "\(error)")
        }
        // Written for someone with greater limits.
        var writer = CBORWriter()
        for pair in fields.pairs {
            writer.write(text: pair.field)
            writer.write(pair.value)
        }
        let encoded = EncodedFields(bytes: writer.bytes, count: fields.count)
        var decoder = BatchDecoder(limits: limits)
        let sample = BatchSample(updates: [.init(operation: .merge, stamp: 100, id: "1", fields: encoded)])
        #expect(try BatchSample(decoding: sample.encode(), with: &decoder).updates.isEmpty)
        #expect(decoder.refused == [RefusedUpdate(index: 0, reason: reason)])
    }
}
