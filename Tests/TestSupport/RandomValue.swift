import Foundation
import ModelCBOR
public import ModelRecord

extension Value {
    /// A random value, nested at most `depth` levels deep.
    public static func random(depth: Int, using generator: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 14 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .int(randomInt(using: &generator))
        case 3: return .double(randomDouble(using: &generator))
        case 4, 5: return .text(.random(lengths: 0...40, using: &generator))
        case 6:
            return .bytes(.random(lengths: 0...40, using: &generator))
        case 7, 8:
            return .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in .random(depth: depth - 1, using: &generator) }
            )
        case 9, 10:
            var map: [String: Value] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                map[.random(lengths: 0...26, using: &generator)] = .random(depth: depth - 1, using: &generator)
            }
            return .map(map)
        case 11: return .uri("https://example.com/" + .random(lengths: 0...20, using: &generator))
        case 12:
            return .uuid(UUID(uuidString: "2B5A3C1E-0000-4000-8000-\(String.hex(12, using: &generator))") ?? UUID())
        default:
            guard Bool.random(using: &generator) else {
                return .timestamp(Double(Int.random(in: 0...8_000_000_000, using: &generator)) / 2)
            }
            var content = CBORWriter()
            content.write(.random(depth: depth - 1, using: &generator))
            return .tagged(.random(in: 40_000...70_000, using: &generator), encoded: content.bytes)
        }
    }

    private static func randomInt(using generator: inout SeededGenerator) -> Int64 {
        let edges: [Int64] = [0, 23, 24, 255, 256, 65_535, 65_536, 0xFFFF_FFFF, 0x1_0000_0000, .max]
        guard Bool.random(using: &generator) else { return .random(in: .min ... .max, using: &generator) }
        let edge = edges.randomElement(using: &generator) ?? 0
        return Bool.random(using: &generator) ? edge : ~edge
    }

    private static func randomDouble(using generator: inout SeededGenerator) -> Double {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: Double(bitPattern: .random(in: 0...UInt64.max, using: &generator))
        case 1: Double(Float(bitPattern: .random(in: 0...UInt32.max, using: &generator)))
        case 2: Double(Int.random(in: -5000...5000, using: &generator)) / 4
        default:
            [0, -0.0, .infinity, -.infinity, .nan, .pi, 65_504, 0x1p-24, 0x1p-25].randomElement(using: &generator) ?? 0
        }
    }
}

extension String {
    /// A random text, in which some characters have several bytes.
    /// - Parameter lengths: how many characters it has.
    public static func random(lengths: ClosedRange<Int>, using generator: inout SeededGenerator) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz_0123456789.ABCüß水𐅑")
        let count = Int.random(in: lengths, using: &generator)
        return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
    }

    fileprivate static func hex(_ count: Int, using generator: inout SeededGenerator) -> String {
        let digits = Array("0123456789ABCDEF")
        return String((0..<count).map { _ in digits[Int.random(in: 0..<16, using: &generator)] })
    }
}

extension Fields {
    /// At most `count` random fields, some of which are `undefined`.
    public static func random(count: Int, depth: Int, using generator: inout SeededGenerator) -> Fields {
        var values: [String: Value] = [:]
        for _ in 0..<Int.random(in: 0...count, using: &generator) {
            let name = String.random(lengths: 1...30, using: &generator)
            values[name] =
                Int.random(in: 0..<8, using: &generator) == 0
                ? .undefined : .random(depth: depth, using: &generator)
        }
        return Fields(values)
    }
}
