import ModelRecord
import ModelWire
import TestSupport
import Testing

/// Frames written by hand, byte by byte, against what the protocol article says.
@Suite struct FrameShapeTests {
    @Test func `a batch is the array of section 4`() throws {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: 100, id: "42", fields: ["age": 30])
        try writer.append(.delete, stamp: 105, id: "7")
        let frame = writer.finish(
            origin: "a", incarnation: 5, sequence: 1, group: [.data(type: "U"), .data(type: "V")])
        let expected =
            "87 00 6161 05 01 1864" + "82" + "84 00 00 623432 a1 63616765 181e" + "84 02 05 6137 a0"
            + "82 446d2f552f 446d2f562f"
        #expect(frame == .init(hex: expected))
    }

    @Test(arguments: [1, 23, 24, 255, 256]) func `a batch with the longest heads there are`(count: Int) throws {
        let name = String(repeating: "a", count: 64)
        var writer = BatchWriter()
        for index in 1...count { try writer.append(.delete, stamp: .max - UInt64(count - index), id: "7") }
        let frame = writer.finish(origin: name, incarnation: .max, sequence: .max)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        #expect(decoder.origin == name && decoder.incarnation == .max && decoder.sequence == .max)
        #expect(decoder.updateCount == count && decoder.lastStamp == .max && writer.isEmpty)
    }

    @Test func `heads are the array of section 4, in order of the topics`() throws {
        let heads = Heads(
            origin: "a", incarnation: 5, stamp: 100,
            heads: [
                TopicHead(topic: .data(type: "User"), sequence: 9),
                TopicHead(topic: .data(type: "V"), sequence: 3, digest: 255),
            ],
            isRelayed: true, ageMilliseconds: 20)
        let expected = "87 01 6161 05 1864 a2 446d2f562f 8203 18ff 476d2f557365722f 8109 01 14"
        #expect(heads.encode() == .init(hex: expected))
        let frame = try StreamFrame(decoding: heads.encode().span)
        guard case .heads(let decoded) = frame else {
            Issue.record("\(frame)")
            return
        }
        #expect(decoded[.data(type: "User")]?.sequence == 9)
        #expect(decoded[.data(type: "V")]?.digest == 255)
        #expect(decoded[.data(type: "W")] == nil)
        #expect(decoded.isRelayed && decoded.ageMilliseconds == 20)
    }

    @Test func `bye is the array of section 4`() {
        #expect(Bye(origin: "a", incarnation: 5, stamp: 100).encode() == .init(hex: "84 02 6161 05 1864"))
    }

    @Test func `a request begins with its method and rid`() {
        #expect(ControlRequest.credit(rid: 7, count: 16).encode() == .init(hex: "83 66637265646974 07 10"))
        #expect(ControlRequest.cancel(rid: 7).encode() == .init(hex: "82 6663616e63656c 07"))
        #expect(
            ControlRequest.snapshot(rid: 7, prefixes: [.dataPrefix], credit: 1).encode()
                == .init(hex: "84 68736e617073686f74 07 81 426d2f 01"))
    }

    @Test func `a record travels as it stands in memory`() throws {
        var records = Records()
        var decoder = BatchDecoder()
        var writer = BatchWriter()
        try writer.append(.replace, stamp: 100, id: "42", fields: ["age": 30])
        let frame = writer.finish(origin: "a", incarnation: 5, sequence: 1)
        try decoder.decode(frame.span)
        records.apply(frame, with: decoder)
        let record = try #require(records.byID["42"])
        let reply = ControlReply.records(rid: 7, type: "U", records: [record]).encode()
        #expect(reply == .init(hex: "84 677265636f726473 07 6155 81") + record.bytes.copy)
        #expect(
            ControlReply.part(rid: 7, type: "U", record: record).encode()
                == .init(hex: "85 677265636f726473 07 6155 81") + record.bytes.copy + [0xF5])
        #expect(
            record.bytes.copy
                == .init(hex: "84 623432 82 1864 6161 82 1864 6161 a1 63616765 83 181e 1864 6161"))
    }

    @Test(arguments: [
        ("85 00 6161 05 01 1864", "too few elements"),
        ("86 00 6161 05 01 1864 80", "no updates"),
        ("86 00 6161 05 00 1864 81 84 00 00 6131 a0", "sequence 0"),
        ("86 00 60 05 01 1864 81 84 00 00 6131 a0", "an empty origin"),
        ("86 00 626120 05 01 1864 81 84 00 00 6131 a0", "an origin with a space"),
        ("86 00 6161 05 01 1864 81 83 00 00 6131", "an update without fields"),
        ("86 00 6161 05 01 1864 81 80", "an empty update"),
        ("86 00 6161 05 01 1864 81 00", "an update that is a number"),
        ("86 00 6161 05 01 1864 81 84 00 20 6131 a0", "a negative offset"),
        ("86 00 6161 05 01 1864 81 84 00 00 01 a0", "an id that is a number"),
        ("86 00 6161 05 01 1864 81 84 00 00 6131 80", "fields that are an array"),
        ("86 00 6161 05 01 1864 82 84 00 01 6131 a0 84 00 01 6132 a0", "offsets that do not rise"),
        ("86 00 6161 05 01 1bffffffffffffffff 81 84 00 01 6131 a0", "a stamp past 64 bits"),
        ("87 00 6161 05 01 1864 81 84 00 00 6131 a0 80", "an empty group"),
        ("87 00 6161 05 01 1864 81 84 00 00 6131 a0 81 626d2f", "a group of texts"),
        ("87 00 6161 05 01 1864 81 84 00 00 6131 a0 81 40", "an empty topic"),
        ("86 00 6161 05 01 1864 81 84 00 00 6131 a2 6161 01 6161 02", "a field twice"),
        ("86 00 6161 05 01 1864 81 84 00 00 6131 a3 6161 01 6162 02 6161 01", "a field twice, with another between"),
        ("86 00 6161 05 01 1864 81 84 00 00 61ff a0", "an id that is not UTF-8"),
        ("86 00 6161 05 01 1864 81 84 00 00 6131 a1 61ff 00", "a field that is not UTF-8"),
        ("86 00 6161 05 01 1864 81 84 00 00 6131 a1 6161 61ff", "a value that is not UTF-8"),
        ("86 01 6161 05 01 1864 81 84 00 00 6131 a0", "another kind"),
        ("00", "a number"), ("a0", "a map"), ("", "nothing"),
    ])
    func `a batch of another shape is refused whole`(hex: String, what: String) {
        #expect(throws: WireError.self, "\(what)") { _ = try BatchSample(decoding: .init(hex: hex)) }
    }

    @Test(arguments: [
        ("85 01 6161 05 1864 a0", "no flags"),
        ("86 01 6161 05 1864 80 00", "an array of heads"),
        ("86 01 6161 05 1864 a2 446d2f562f 8103 446d2f562f 8103 00", "a topic twice"),
        ("86 01 6161 05 1864 bf 446d2f562f 8103 436d2f56 8103 446d2f562f 8104 ff 00", "a topic twice, indefinite"),
        ("86 01 6161 05 1864 a1 446d2f562f 80 00", "a head without a sequence"),
        ("86 01 6161 05 1864 a1 446d2f562f 03 00", "a head that is no array"),
        ("86 01 6161 05 1864 a1 646d2f562f 8103 00", "a topic that is text"),
        ("86 01 6161 05 1864 a1 40 8103 00", "an empty topic"),
        ("86 01 05 05 1864 a0 00", "an origin that is a number"),
        ("83 02 6161 05", "a bye without a stamp"),
        ("81 6162", "a kind that is text"), ("80", "no kind"), ("9f", "an array without end"),
    ])
    func `another frame of the stream of another shape is refused`(hex: String, what: String) {
        #expect(throws: WireError.self, "\(what)") { _ = try StreamFrame(decoding: [UInt8](hex: hex).span) }
    }

    @Test(arguments: [
        ("80", "nothing"), ("81 66637265646974", "no rid"), ("82 66637265646974 07", "no credit"),
        ("82 01 07", "a method that is a number"), ("82 6663616e63656c 20", "a negative rid"),
        ("84 656665746368 07 6155 01", "ids that are no list"), ("84 656665746368 07 623155 80", "a bad type"),
        ("84 656665746368 07 6155 81 60", "an empty id"), ("84 656665746368 07 6155 81 6100", "NUL in an id"),
        ("84 68736e617073686f74 07 81 40 01", "an empty prefix"),
        ("83 667265706f7274 07 80", "a report that is a list"),
        ("83 667265706f7274 07 a2 6161 01 6161 01", "a counter twice"),
        ("83 667265706f7274 07 a1 6161 a2 01 01 01 01", "a key twice in what is not known"),
        ("83 667265706f7274 07 a1 6161 a3 02 01 01 01 02 01", "a key twice in what is not known, with another between"),
    ])
    func `a request of another shape is refused`(hex: String, what: String) {
        #expect(throws: WireError.self, "\(what)") { _ = try ControlRequest(decoding: [UInt8](hex: hex).span) }
    }

    @Test func `kinds, methods and operations that are not known are told, not refused`() throws {
        let frame = try StreamFrame(decoding: [UInt8](hex: "83 1907d0 a0 81f6").span)
        #expect(frame == .unknown(kind: 2000))
        let request = try ControlRequest(decoding: [UInt8](hex: "83 6564616e6365 07 a1 01 02").span)
        #expect(request == .unknown(method: "dance", rid: 7))
        let reply = try ControlReply(decoding: [UInt8](hex: "82 6473696e67 07").span)
        #expect(reply == .unknown(method: "sing", rid: 7))
        var decoder = BatchDecoder()
        // Operation 9 with three elements that mean nothing here, between two merges.
        let batch = [UInt8](hex: "86 00 6161 05 01 1864 83 84 00 00 6131 a0 83 09 a0 f7 84 00 01 6132 a0")
        let sample = try BatchSample(decoding: batch, with: &decoder)
        #expect(sample.updates.map(\.id) == ["1", "2"])
        #expect(decoder.unknownOperations == 1 && decoder.refused.isEmpty)
    }

    @Test func `a report keeps the counters and passes over what it does not know`() throws {
        let bytes = [UInt8](hex: "83 667265706f7274 07 a4 6161 05 6162 20 6163 a16178f6 657374617465 646c697665")
        let request = try ControlRequest(decoding: bytes.span)
        #expect(request == .report(rid: 7, report: ReplicaReport(state: "live", counters: ["a": 5])))
    }

    @Test func `a decoder that has met a broken frame reads the next one`() throws {
        var decoder = BatchDecoder()
        let good = BatchSample(
            updates: [.init(operation: .merge, stamp: 100, id: "1", fields: try EncodedFields(["a": 1]))])
        #expect(try BatchSample(decoding: good.encode(), with: &decoder) == good)
        let broken = Array(good.encode().dropLast())
        #expect(throws: WireError.self) { _ = try BatchSample(decoding: broken, with: &decoder) }
        #expect(decoder.updateCount == 0 && decoder.refused.isEmpty)
        #expect(try BatchSample(decoding: good.encode(), with: &decoder) == good)
        #expect(decoder.lastStamp == 100)
    }

    @Test func `a writer is empty again after each frame`() throws {
        var writer = BatchWriter()
        #expect(writer.isEmpty && writer.firstStamp == nil && writer.byteCount == 0)
        try writer.append(.merge, stamp: 100, id: "1")
        #expect(writer.updateCount == 1 && writer.firstStamp == 100 && writer.byteCount == 6)
        let first = writer.finish(origin: "a", incarnation: 1, sequence: 1)
        #expect(writer.isEmpty && writer.firstStamp == nil && writer.byteCount == 0)
        try writer.append(.merge, stamp: 50, id: "1")
        let second = writer.finish(origin: "a", incarnation: 1, sequence: 2)
        #expect(try BatchSample(decoding: first).stamp == 100)
        #expect(try BatchSample(decoding: second).stamp == 50)
    }

    @Test func `a batch may begin before its first update`() throws {
        var writer = BatchWriter()
        writer.begin(stamp: 90)
        try writer.append(.merge, stamp: 100, id: "1")
        let sample = try BatchSample(decoding: writer.finish(origin: "a", incarnation: 1, sequence: 1))
        #expect(sample.stamp == 90 && sample.updates[0].stamp == 100)
    }
}
