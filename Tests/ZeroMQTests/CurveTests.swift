import Testing
import ZeroMQ

@Suite struct CurveTests {
    @Test func `the example of the Z85 specification reads both ways`() {
        let bytes: [UInt8] = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]
        #expect(Curve.encodeZ85(bytes) == "HelloWorld")
        #expect(Curve.decodeZ85("HelloWorld") == bytes)
        #expect(Curve.encodeZ85([]) == "")
        #expect(Curve.decodeZ85("") == [])
    }

    @Test(arguments: ["Hell", "HelloWorl", "Hello\0orld", "Hello orld", "Hellöorld", "~~~~~", "%nSc1", "#####"])
    func `what is not Z85 is refused`(text: String) {
        #expect(Curve.decodeZ85(text) == nil)
    }

    @Test func `bytes that do not fill groups of four have no Z85`() {
        #expect(Curve.encodeZ85([1, 2, 3]) == nil)
    }

    @Test func `pairs are random, have two different halves, and the public one follows from the secret`() throws {
        try #require(Curve.isAvailable)
        let pair = try Curve.KeyPair()
        #expect(try Curve.KeyPair() != pair)
        #expect(pair.publicKey.bytes != pair.secretKey.bytes)
        #expect(try Curve.KeyPair(secretKey: pair.secretKey) == pair)
        #expect(Curve.PublicKey(z85: pair.publicKey.z85) == pair.publicKey)
        #expect(Curve.SecretKey(z85: pair.secretKey.z85) == pair.secretKey)
    }

    @Test func `keys of another length are refused`() {
        #expect(Curve.PublicKey(bytes: [1]) == nil)
        #expect(Curve.SecretKey(z85: "HelloWorld") == nil)
    }
}
