import Foundation
import ModelRecord
import ModelWire
import TestSupport
import Testing

/// Both directions against cbor2.
@Suite struct PythonTests {
    /// For each line of hexadecimal digits: what cbor2 sees, and the item encoded by cbor2 in several ways.
    private static let script = #"""
        import cbor2, datetime, math, random, struct, sys, uuid

        def text(x):
            if x is None: return "n"
            if x is cbor2.undefined: return "u"
            if x is True: return "T"
            if x is False: return "F"
            if isinstance(x, int): return "i%d" % x
            if isinstance(x, float): return "dnan" if math.isnan(x) else "d" + struct.pack(">d", x).hex()
            if isinstance(x, str): return "t" + x.encode().hex()
            if isinstance(x, bytes): return "b" + x.hex()
            if isinstance(x, (list, tuple)): return "[" + ",".join(map(text, x)) + "]"
            if isinstance(x, datetime.datetime): return "s" + text(float(x.timestamp()))
            if isinstance(x, uuid.UUID): return "U" + x.hex
            if isinstance(x, cbor2.CBORTag): return "g%d(%s)" % (x.tag, text(x.value))
            if hasattr(x, "items"): return "{" + ",".join(sorted(text(k) + ":" + text(v) for k, v in x.items())) + "}"
            return "?" + repr(x)

        def shuffled(x, order):
            if isinstance(x, dict):
                pairs = [(k, shuffled(v, order)) for k, v in x.items()]
                order.shuffle(pairs)
                return dict(pairs)
            if isinstance(x, list): return [shuffled(v, order) for v in x]
            return x

        def encode(x, **options):
            return cbor2.dumps(x, datetime_as_timestamp=True, **options).hex()

        order = random.Random(1)
        # Newer releases can write arrays and maps of indefinite length.
        try:
            cbor2.dumps([], indefinite_containers=True)
            more = [{"indefinite_containers": True}]
        except TypeError:
            more = []
        with open(sys.argv[1]) as lines, open(sys.argv[2], "w") as out:
            for line in lines.read().split("\n"):
                item = cbor2.loads(bytes.fromhex(line))
                forms = [encode(item, canonical=True), encode(shuffled(item, order))]
                forms += [encode(shuffled(item, order), **options) for options in more]
                out.write(text(item) + " " + " ".join(forms) + "\n")
        """#

    /// Fields whose values cbor2 reads as what they are: no bignums, no instants outside its calendar.
    private static func fields(using generator: inout SeededGenerator) -> Fields {
        Fields(
            Dictionary(
                Fields.random(count: 6, depth: 3, using: &generator).pairs.map { ($0.field, plain($0.value)) },
                uniquingKeysWith: { first, _ in first }))
    }

    /// cbor2 reads what is below an unknown tag as immutable, which has no maps with unhashable values.
    private static func plain(_ value: Value) -> Value {
        switch value {
        case .tagged(let tag, _): .tagged(tag, encoded: [0x83, 0x01, 0x61, 0x78, 0xF6])
        case .array(let elements): .array(elements.map(plain))
        case .map(let map): .map(map.mapValues(plain))
        default: value
        }
    }

    private struct Case {
        let sample: FrameSample
        let frame: [UInt8]
        let tree: String
    }

    private static func cases() throws -> [Case] {
        var cases: [Case] = []
        var generator = SeededGenerator(seed: 11)
        for index in 0..<1500 {
            let kind = index % FrameSample.kindCount
            var sample = try FrameSample.random(kind: kind, using: &generator)
            var allFields: [Fields] = []
            if case .batch(var batch) = sample {
                for position in batch.updates.indices {
                    let isDelete = batch.updates[position].operation == .delete
                    allFields.append(isDelete ? [:] : fields(using: &generator))
                    batch.updates[position].fields = try EncodedFields(allFields[position])
                }
                sample = .batch(batch)
            }
            if case .reply(.records(let rid, let type, _)) = sample {
                sample = .reply(.records(rid: rid, type: type, records: try records(using: &generator)))
            }
            cases.append(Case(sample: sample, frame: sample.encode(), tree: sample.tree(fields: allFields).text))
        }
        return cases
    }

    private static func records(using generator: inout SeededGenerator) throws -> [CellRecord] {
        var records = Records()
        var decoder = BatchDecoder()
        for stamp in 1...4 {
            var writer = BatchWriter()
            let id = ["a", "b"].randomElement(using: &generator) ?? "a"
            let operation = UpdateOperation(rawValue: .random(in: 0...2, using: &generator)) ?? .merge
            try writer.append(
                operation, stamp: UInt64(stamp), id: id, fields: operation == .delete ? [:] : fields(using: &generator))
            let frame = writer.finish(origin: "a", incarnation: 1, sequence: 1)
            try decoder.decode(frame.span)
            records.apply(frame, with: decoder)
        }
        return records.byID.sorted { $0.key < $1.key }.map(\.value)
    }

    /// A Python with cbor2; nil, with the reason printed, where this machine has none.
    ///
    /// In CI only Python itself may be missing: that cbor2 could not be fetched must not pass for a test that ran.
    private static func python() throws -> Python? {
        do {
            return try Python()
        } catch {
            let isExcused = error is Python.Missing || ProcessInfo.processInfo.environment["CI"] != "true"
            guard isExcused else { throw error }
            print("PythonTests: skipped, because there is no Python with cbor2 here: \(error)")
            return nil
        }
    }

    @Test func `cbor2 reads what we write, and we read what cbor2 writes`() throws {
        guard let python = try Self.python() else { return }
        let cases = try Self.cases()
        let lines = try python.run(script: Self.script, on: cases.map(\.frame.hex), seconds: 120)
        try #require(lines.count == cases.count)
        var forms = 0
        for (one, line) in zip(cases, lines) {
            let words = line.split(separator: " ").map(String.init)
            try #require(words[0] == one.tree, "\(one.frame.hex)")
            // Canonical in cbor2 is what deterministic is here, down to the byte.
            try #require(words[1] == one.frame.hex)
            for word in words.dropFirst() {
                try #require(try one.sample.decoding([UInt8](hex: word)) == one.sample, "\(word)")
                forms += 1
            }
        }
        print("PythonTests: \(cases.count) frames read by cbor2, \(forms) frames of cbor2 read here")
        #expect(forms >= 2 * cases.count)
    }
}
