import Testing

@testable import ModelcastCommand

/// What subscribe and digest print at their end.
@Suite struct DigestLineTests {
    @Test func `a digest line has sixteen digits`() {
        #expect(digestLine("T", count: 3, digest: 0xAB) == "T 3 00000000000000ab")
        #expect(digestLine("T", count: nil, digest: .max) == "T ffffffffffffffff")
    }
}
