import ModelRecord
import Testing

struct FingerprintTests {
    private static let published: [(String, UInt64)] = [
        ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("b", 0xAF63_DF4C_8601_F1A5),
        ("foobar", 0x8594_4171_F739_67E8),
    ]

    @Test(arguments: published)
    func `fnv gives the published values`(text: String, hash: UInt64) {
        #expect(Fingerprint.fnv(text) == hash)
        let ofBytes = Fingerprint.fnv(text.utf8.span)
        #expect(ofBytes == hash)
        #expect(fnv1a(text) == hash)
    }

    @Test func `ids that are hashed together have the hashes that each has alone`() {
        var generator = SeededGenerator(seed: 17)
        for count in 0...70 {
            var bytes: [UInt8] = []
            var slices: [UpdateSlice] = []
            for _ in 0..<count {
                // Of all lengths, of one length, or of nearly one.
                let length = Int.random(in: count < 30 ? 0...40 : count < 50 ? 36...36 : 30...34, using: &generator)
                let start = bytes.count
                bytes += (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
                slices.append(
                    UpdateSlice(
                        operation: .merge, stamp: 0, idHash: 1, id: start..<bytes.count, fields: 0..<0, fieldCount: 0))
            }
            let first = Int.random(in: 0...count, using: &generator)
            UpdateSlice.hashIDs(of: &slices, from: first, in: bytes.span)
            for (index, slice) in slices.enumerated() {
                #expect(slice.idHash == (index < first ? 1 : fnv1a(Array(bytes[slice.idRange]))))
            }
        }
    }

    @Test func `the hash of nothing is the hash of the empty field`() {
        #expect(Fingerprint.empty == Fingerprint.fnv(""))
    }

    @Test func `a generator with seed 1234567 gives the published numbers of splitmix64`() {
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test func `the finaliser of splitmix64 gives the published value`() {
        #expect(Fingerprint.mix(0x9E37_79B9_7F4A_7C15) == 0xE220_A839_7B1D_CDAF)
        #expect(Fingerprint.mix(0) == 0)
    }

    @Test func `a term follows the formula of section 7`() {
        let term = Fingerprint.term(
            idHash: fnv1a("42"), fieldHash: fnv1a("age"), stamp: 77, originHash: fnv1a("feed"))
        #expect(term == splitMix(splitMix(splitMix(fnv1a("42") ^ fnv1a("age")) &+ 77) ^ fnv1a("feed")))
    }

    @Test func `a bucket is the top 8 bits of the mixed hash, and ids spread over all of them`() {
        var seen = Set<Int>()
        for number in 0..<4096 {
            let bucket = Fingerprint.bucket(idHash: fnv1a("id-\(number)"))
            #expect(bucket == Int(splitMix(fnv1a("id-\(number)")) >> 56))
            seen.insert(bucket)
        }
        #expect(seen.count == 256)
    }
}
