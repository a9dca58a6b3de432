import ModelCBOR
import ModelRecord
import ModelWire
import TestSupport
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: 0..<FrameSample.kindCount)
    func `a frame comes back as it was`(kind: Int) throws {
        forEachSeed(2000, from: UInt64(kind) * 1_000_000 + 1) { _, generator in
            let sample = try FrameSample.random(kind: kind, using: &generator)
            let frame = sample.encode()
            try #require(try sample.decoding(frame) == sample)
            try #require(sample.encode() == frame)
        }
    }

    @Test func `a text that is escaped when it is read is no longer than it may be when it is sent again`() throws {
        let text = String(repeating: "\0", count: 60)
        let reply = ControlReply.error(rid: 1, code: ControlErrorCode(rawValue: text), message: text)
        let read = try ControlReply(decoding: reply.encode().span)
        #expect(try ControlReply(decoding: read.encode().span) == read)
        let stream = ReplicaReport.Stream(
            origin: "a", topic: .data(type: "User"), state: text, milliseconds: 0, reason: text)
        let request = ControlRequest.report(
            rid: 1, report: ReplicaReport(state: text, streams: [stream], counters: [text: 1]))
        let asked = try ControlRequest(decoding: request.encode().span)
        #expect(try ControlRequest(decoding: asked.encode().span) == asked)
    }

    @Test(arguments: 0..<FrameSample.kindCount)
    func `a frame is written in deterministic encoding`(kind: Int) throws {
        forEachSeed(500, from: UInt64(kind) * 1_000_000 + 1) { _, generator in
            let frame = try FrameSample.random(kind: kind, using: &generator).encode()
            try #require(isDeterministic(frame), "\(frame.hex)")
        }
    }

    @Test(arguments: 0..<FrameSample.kindCount)
    func `any encoding of a frame means the same`(kind: Int) throws {
        forEachSeed(1000, from: UInt64(kind) * 1_000_000 + 1) { seed, generator in
            let sample = try FrameSample.random(kind: kind, using: &generator)
            var sloppy = SloppyEncoder(seed: seed)
            for _ in 0..<3 {
                let other = sloppy.rewrite(sample.encode())
                try #require(try sample.decoding(other) == sample, "\(other.hex)")
            }
        }
    }

    @Test(arguments: 0..<FrameSample.kindCount)
    func `a frame that goes on behind its end, or ends before it, is malformed`(kind: Int) throws {
        var generator = SeededGenerator(seed: UInt64(kind))
        let sample = try FrameSample.random(kind: kind, using: &generator)
        let frame = sample.encode()
        for byte: UInt8 in [0x00, 0xF6, 0xFF] {
            #expect(throws: WireError.self) { try decodeWhole(sample, frame + [byte]) }
        }
        for count in 0..<frame.count {
            #expect(throws: WireError.self) { try decodeWhole(sample, Array(frame.prefix(count))) }
        }
    }

    /// Elements that version 1 does not know, of any kind, behind those that it knows.
    @Test(arguments: 0..<FrameSample.kindCount)
    func `elements behind those that are known are ignored`(kind: Int) throws {
        // An age, a digest or a group that is left out would be taken for one.
        forEachSeed(200, from: UInt64(kind) * 1_000_000 + 1) { _, generator in
            let sample = try FrameSample.random(kind: kind, using: &generator)
            let longer = try lengthened(sample, by: [0x01, 0x82, 0x00, 0xA1, 0x61, 0x61, 0xF6])
            try #require(try sample.decoding(longer) == sample, "\(longer.hex)")
        }
    }

    /// Appends two elements (1 and [0, {"a": null}]) to the frame's array, behind null for what was left out.
    private func lengthened(_ sample: FrameSample, by extra: [UInt8]) throws -> [UInt8] {
        let frame = sample.encode()
        let count = frame[0] & 0x1F
        var optional = 0
        switch sample {
        case .heads: optional = 10 - Int(count)
        case .batch(let batch): optional = batch.group.isEmpty ? 1 : 0
        case .request(.snapshot), .request(.fetch): optional = 1
        default: break
        }
        let padding = [UInt8](repeating: CBORConstant.nullByte, count: optional)
        return [0x80 | (count + UInt8(optional) + 2)] + frame.dropFirst() + padding + extra
    }

    private func decodeWhole(_ sample: FrameSample, _ frame: [UInt8]) throws {
        // The kind of a batch can be told from its beginning; the rest is for its decoder.
        _ = try sample.decoding(frame)
    }

    private func isDeterministic(_ frame: [UInt8]) -> Bool {
        var reader = CBORReader(frame.span)
        return (try? reader.skipItem(maxDepth: 64)) != nil && reader.isAtEnd && reader.isDeterministic
    }
}
