import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSigning

/// Seals of batches.
@Suite struct SealTests {
    private static let topic = Topic.data(type: "User").bytes

    /// A key that is the same in each run.
    private static func key(_ number: UInt8) throws -> SigningKey {
        try #require(SigningKey(seed: [UInt8](repeating: number, count: SigningKey.byteCount)))
    }

    private static func frame(_ sequence: UInt64, _ generator: inout SeededGenerator) throws -> [UInt8] {
        var writer = BatchWriter()
        for index in 0..<UInt64.random(in: 1...4, using: &generator) {
            let value = Value.text(String(repeating: "x", count: Int.random(in: 0...90, using: &generator)))
            try writer.append(.merge, stamp: 100 + index, id: "\(index)", fields: ["name": value])
        }
        let group = Bool.random(using: &generator) ? [Topic.data(type: "User"), .data(type: "Order")] : nil
        return writer.finish(origin: "accounts", incarnation: 7, sequence: sequence, group: group, awaitsSeal: true)
    }

    private static func sealed(
        _ count: Int, by key: SigningKey, _ generator: inout SeededGenerator
    ) throws -> [[UInt8]] {
        var batches = try (1...count).map { (topic: topic, frame: try frame(UInt64($0), &generator)) }
        BatchSealer(key: key).seal(&batches)
        return batches.map(\.frame)
    }

    private static func verdict(_ frame: [UInt8], on topic: [UInt8] = topic, keys: [SigningKey]) -> SealVerdict {
        var verifier = SealVerifier()
        return verifier.verdict(topic: topic.span, frame: frame.span, keys: keys.map(\.publicKey))
    }

    @Test func `each of up to 32 batches of one signature proves itself alone, and decodes as it did without a seal`() {
        forEachSeed(300) { seed, generator in
            let key = try Self.key(UInt8(truncatingIfNeeded: seed))
            let count = seed <= 32 ? Int(seed) : Int.random(in: 1...32, using: &generator)
            var decoder = BatchDecoder()
            for (index, frame) in try Self.sealed(count, by: key, &generator).enumerated() {
                try #require(Self.verdict(frame, keys: [try Self.key(200), key]) == .genuine)
                try #require(frame.count <= 4 * 100 + 300 + BatchSeal.byteCountMax)
                try decoder.decode(frame.span)
                try #require(decoder.sequence == UInt64(index + 1) && decoder.updateCount > 0)
            }
        }
    }

    @Test func `no byte of a sealed batch can change, be added or be taken away, nor its topic`() {
        forEachSeed(60) { _, generator in
            let key = try Self.key(3)
            let frames = try Self.sealed(Int.random(in: 1...32, using: &generator), by: key, &generator)
            let frame = try #require(frames.randomElement(using: &generator))
            for index in frame.indices {
                var changed = frame
                changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                try #require(Self.verdict(changed, keys: [key]) != .genuine, "byte \(index) of \(frame.count)")
            }
            for end in 0..<frame.count { try #require(Self.verdict(Array(frame[..<end]), keys: [key]) != .genuine) }
            try #require(Self.verdict(frame + [0], keys: [key]) != .genuine)
            try #require(Self.verdict(frame, on: Topic.data(type: "Order").bytes, keys: [key]) == .forged)
        }
    }

    @Test func `a seal of another batch, or of another key, proves nothing`() throws {
        var generator = SeededGenerator(seed: 1)
        let (key, other) = (try Self.key(1), try Self.key(2))
        let frames = try Self.sealed(2, by: key, &generator)
        var unsealed = try Self.frame(9, &generator)
        #expect(Self.verdict(unsealed, keys: [key]) == .unsealed)
        unsealed.append(contentsOf: frames[0].suffix(2 + KeySignature.byteCount + SealHash.byteCount + 2))
        #expect(Self.verdict(unsealed, keys: [key]) == .forged)
        #expect(Self.verdict(frames[0], keys: [other]) == .unknownKey)
        #expect(Self.verdict(frames[0], keys: []) == .unknownKey)
        #expect(Self.verdict(frames[0], keys: [other, key]) == .genuine)
    }

    @Test func `bytes that are no batch, or end as a seal does, trap nobody`() {
        forEachSeed(20_000) { _, generator in
            var bytes = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            if Bool.random(using: &generator),
                let position = SealTree.Position(
                    index: Int.random(in: 0..<32, using: &generator), count: 32)
            {
                let start = bytes.count - KeySignature.byteCount - position.pathCount * SealHash.byteCount - 4
                if start > 0 { bytes.replaceSubrange(start..<start + 2, with: [0x58, UInt8(bytes.count - start - 2)]) }
                bytes.append(contentsOf: [UInt8(position.index), 32])
            }
            try #require(Self.verdict(bytes, keys: [try Self.key(1)]) != .genuine)
        }
    }

    @Test func `batches of one signature are verified once, and only while it is remembered`() throws {
        var generator = SeededGenerator(seed: 2)
        let key = try Self.key(1)
        let frames = try Self.sealed(32, by: key, &generator)
        var verifier = SealVerifier()
        func look(_ frame: [UInt8]) -> SealVerdict {
            let topic = Self.topic
            return verifier.verdict(topic: topic.span, frame: frame.span, keys: [key.publicKey])
        }
        for frame in frames { #expect(look(frame) == .genuine) }
        #expect(verifier.verificationCount == 1)
        for _ in 0..<64 {
            let frame = try Self.sealed(1, by: key, &generator)[0]
            #expect(look(frame) == .genuine)
        }
        #expect(look(frames[0]) == .genuine)
        #expect(verifier.verificationCount == 66)
    }

    @Test func `a key comes back from its seed, is made anew each time, and shows in no text`() throws {
        let key = SigningKey()
        #expect(SigningKey(seed: key.seed)?.publicKey == key.publicKey)
        #expect(key != SigningKey())
        #expect(SigningKey(seed: [1, 2, 3]) == nil && VerifyingKey(bytes: []) == nil)
        let shown = "\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children.count)"
        #expect(shown == "a signing key a signing key 0")
    }

    /// RFC 8032, section 7.1, test 2.
    @Test func `the signature is Ed25519`() throws {
        func bytes(_ text: String) -> [UInt8] {
            let digits = text.compactMap(\.hexDigitValue)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }
        let key = try #require(
            SigningKey(seed: bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")))
        #expect(key.publicKey.bytes == bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        let expected = bytes(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
        #expect(KeySignature(of: [0x72], by: key).bytes == expected)
    }
}
