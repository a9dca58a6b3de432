import ModelCBOR
import ModelRecord
import TestSupport
import Testing

/// The examples of malformed items in RFC 8949, appendix F.
@Suite struct AppendixFTests {
    static let groups: [(name: String, examples: String)] = [
        (
            "the input ends in a head",
            """
            18, 19, 1a, 1b, 1901, 1a0102, 1b01020304050607, 38, 58, 78, 98, 9a01ff00, b8, d8, f8, f900, fa0000, fb000000
            """
        ),
        (
            "a string of definite length is short of data",
            "41, 61, 5affffffff00, 5bffffffffffffffff010203, 7affffffff00, 7b7fffffffffffffff010203"
        ),
        (
            "a map or array of definite length is not closed with enough items",
            "81, 818181818181818181, 8200, a1, a20102, a100, a2000000"
        ),
        ("a tag without content", "c0"),
        ("a string of indefinite length is not closed", "5f4100, 7f6100"),
        (
            "a map or array of indefinite length is not closed",
            "9f, 9f0102, bf, bf01020102, 819f, 9f8000, 9f9f9f9f9fffffffff, 9f819f819f9fffffff"
        ),
        (
            "reserved additional information",
            """
            1c, 1d, 1e, 3c, 3d, 3e, 5c, 5d, 5e, 7c, 7d, 7e, 9c, 9d, 9e, bc, bd, be, dc, dd, de, fc, fd, fe
            """
        ),
        ("reserved two-byte encodings of simple values", "f800, f801, f818, f81f"),
        (
            "a piece of a string is not of its type",
            "5f00ff, 5f21ff, 5f6100ff, 5f80ff, 5fa0ff, 5fc000ff, 5fe0ff, 7f4100ff"
        ),
        ("a piece of a string is not of definite length", "5f5f4100ffff, 7f7f6100ffff"),
        ("a break on its own", "ff"),
        (
            "a break in an array or map of definite length, or a tag",
            "81ff, 8200ff, a1ff, a1ff00, a100ff, a20000ff, 9f81ff, 9f829f819f9fffffffff"
        ),
        ("a break that leaves half a pair", "bf00ff, bf000000ff"),
        ("an indefinite length where there is none", "1f, 3f, df"),
    ]

    static let all = groups.flatMap { group in
        group.examples.split(whereSeparator: { ", \n".contains($0) }).map { (group.name, String($0)) }
    }

    @Test func `the list is complete`() { #expect(Self.all.count == 94) }

    @Test(arguments: all)
    func `it is found malformed by every way to read it`(group: String, hex: String) {
        let bytes = [UInt8](hex: hex)
        for way in [Way.skip, .wellFormed, .transcode] {
            #expect(failure(bytes, way)?.isMalformed == true, "\(group), \(way)")
        }
        // These two may object to an integer as a key before they see the rest.
        for way in [Way.value, .check] { #expect(failure(bytes, way) != nil, "\(group), \(way)") }
    }

    @Test(arguments: [
        "61ff", "62c328", "63eda080", "64f4908080", "7f61c361bcff", "62c080", "636162ff", "68616161616161c328",
    ])
    func `text that is not UTF-8 is malformed`(hex: String) {
        for way in Way.allCases { #expect(failure([UInt8](hex: hex), way) == .invalidUTF8, "\(way)") }
    }

    @Test(arguments: [
        "a2616101616102", "bf616101616102ff", "a3616201616101616203", "a20100180100", "a2f93c0000fa3f80000000",
    ])
    func `a key that stands twice is malformed, whatever its encoding and order`(hex: String) {
        let bytes = [UInt8](hex: hex)
        #expect(failure(bytes, .transcode) == .duplicateKey)
        // What is passed over in silence must be left to the transcoder.
        for way in [Way.skip, .check] {
            switch read(bytes, way) {
            case .success(let passed): #expect(!passed.isDeterministic, "\(way)")
            case .failure(let error): #expect(error.code == .duplicateKey || error.code == .unexpectedType, "\(way)")
            }
        }
    }
}
