import ModelCBOR
import ModelRecord
import TestSupport
import Testing

@Suite struct CanonicalTests {
    @Test func `every encoding of a value transcodes to the one that is written`() throws {
        forEachSeed(20_000) { seed, generator in
            let written = encoded(.random(depth: 4, using: &generator))
            var sloppy = SloppyEncoder(seed: seed)
            for _ in 0..<4 {
                let other = sloppy.rewrite(written)
                let canonical = try canonicalForm(other)
                try #require(canonical == written, "\(other.hex)")
                let passed = Passed(byteCount: other.count, isDeterministic: other == written)
                try #require(read(other, .skip) == .success(passed), "\(other.hex)")
                try #require(read(other, .check) == .success(passed), "\(other.hex)")
                // What stands below a tag without a meaning is kept as it came.
                let value = try decoded(other)
                try #require(try canonicalForm(encoded(value)) == written, "\(other.hex)")
            }
        }
    }

    @Test func `a value comes back from its encoding`() throws {
        forEachSeed(20_000) { _, generator in
            let value = Value.random(depth: 4, using: &generator)
            let bytes = encoded(value)
            let back = try decoded(bytes)
            // By the encodings, because a NaN equals nothing, and by the values where there is none.
            try #require(encoded(back) == bytes)
            if !bytes.hex.contains("f97e00") { try #require(back == value) }
        }
    }

    @Test func `random bytes are judged alike by all who read them`() throws {
        forEachSeed(300_000) { _, generator in
            let bytes = randomBytes(using: &generator)
            let wellFormed = byteCount(bytes, .wellFormed)
            switch read(bytes, .skip) {
            case .success(let passed):
                try #require(passed.byteCount == wellFormed, "\(bytes.hex)")
                try checkTranscoding(of: Array(bytes[..<passed.byteCount]), isDeterministic: passed.isDeterministic)
            case .failure(let error):
                try #require(wellFormed == nil || error.code == .duplicateKey, "\(bytes.hex): \(error)")
            }
        }
    }

    /// What was transcoded is deterministic, stays as it is, and can be passed over on trust.
    private func checkTranscoding(of item: [UInt8], isDeterministic: Bool) throws {
        if failure(item, .transcode) == .duplicateKey {
            try #require(!isDeterministic, "\(item.hex)")
            return
        }
        let canonical = try canonicalForm(item)
        try #require(isDeterministic == (canonical == item), "\(item.hex)")
        try #require(try canonicalForm(canonical) == canonical, "\(item.hex)")
        try #require(byteCountOnTrust(canonical) == canonical.count, "\(item.hex)")
        try #require((byteCount(canonical, .value) == nil) == (byteCount(canonical, .check) == nil), "\(item.hex)")
    }

    private func byteCountOnTrust(_ item: [UInt8]) -> Int {
        var reader = CBORReader(item.span)
        reader.skipValidItem()
        return reader.offset
    }

    /// Short, and rich in heads that mean something.
    private func randomBytes(using generator: inout SeededGenerator) -> [UInt8] {
        let heads: [UInt8] = [
            0x00, 0x01, 0x18, 0x19, 0x20, 0x41, 0x5F, 0x61, 0x62, 0x7F, 0x80, 0x81, 0x82, 0x9F, 0xA0, 0xA1, 0xA2, 0xBF,
            0xC1, 0xD8, 0xF6, 0xF9, 0xFA, 0xFF, 0xFF,
        ]
        return (0..<Int.random(in: 1...24, using: &generator)).map { _ in
            Int.random(in: 0..<4, using: &generator) == 0
                ? .random(in: 0...255, using: &generator) : heads.randomElement(using: &generator) ?? 0
        }
    }
}
