import ModelCBOR
import ModelRecord
import TestSupport
import Testing

@Suite struct DepthTests {
    /// Heads of containers with one item, and what closes each.
    static let shapes: [(head: String, tail: String)] = [
        ("81", ""), ("9f", "ff"), ("a16161", ""), ("bf6161", "ff"), ("c1", ""), ("d9ffff", ""),
    ]

    private func nested(_ shape: (head: String, tail: String), _ depth: Int) -> [UInt8] {
        .init(hex: String(repeating: shape.head, count: depth) + "00" + String(repeating: shape.tail, count: depth))
    }

    @Test(arguments: shapes.indices, [1, 2, 16, 64])
    func `nesting up to the limit is read, and one level more is not`(shape: Int, limit: Int) throws {
        let within = nested(Self.shapes[shape], limit)
        let beyond = nested(Self.shapes[shape], limit + 1)
        for way in [Way.skip, .check, .value, .transcode] {
            #expect(byteCount(within, way, maxDepth: limit) == within.count, "\(way)")
            #expect(failure(beyond, way, maxDepth: limit) == .tooDeep, "\(way)")
        }
    }

    @Test(arguments: shapes.indices)
    func `a million levels end in an answer, not in a trap`(shape: Int) {
        let deep = nested(Self.shapes[shape], 1_000_000)
        #expect(byteCount(deep, .wellFormed) == deep.count)
        #expect(failure(Array(deep.prefix(1_000_000)), .wellFormed) == .truncated)
        for way in [Way.skip, .check, .value, .transcode] { #expect(failure(deep, way) == .tooDeep, "\(way)") }
    }

    @Test(arguments: [
        "9bffffffffffffffff", "bbffffffffffffffff", "5bffffffffffffffff", "7bffffffffffffffff", "9b7fffffffffffffff",
    ])
    func `a length beyond the input reserves nothing and ends at once`(hex: String) {
        let bytes = [UInt8](hex: hex + "60")
        for way in Way.allCases { #expect(failure(bytes, way) == .truncated, "\(way)") }
    }
}
