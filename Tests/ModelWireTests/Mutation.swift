import ModelRecord
import TestSupport

/// Damages frames in the ways in which frames get damaged, and in those of somebody who means harm.
struct Mutator {
    var generator: SeededGenerator

    /// Bytes that mean much where they stand: heads of great lengths, of indefinite lengths, breaks, tags, floats.
    private static let spicy: [UInt8] = [
        0x00, 0x17, 0x18, 0x1B, 0x1C, 0x3B, 0x40, 0x5B, 0x5F, 0x60, 0x7B, 0x7F, 0x80, 0x81, 0x9B, 0x9F, 0xA0, 0xA1,
        0xBB,
        0xBF, 0xC1, 0xD8, 0xDB, 0xF6, 0xF7, 0xF8, 0xF9, 0xFB, 0xFF,
    ]

    /// Damages `frame` once to four times.
    /// - Parameter other: a frame to take pieces from.
    mutating func mutate(_ frame: [UInt8], with other: [UInt8]) -> [UInt8] {
        var result = frame
        for _ in 0..<Int.random(in: 1...4, using: &generator) { mutateOnce(&result, other) }
        return result
    }

    private mutating func mutateOnce(_ bytes: inout [UInt8], _ other: [UInt8]) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: withIndex(bytes) { bytes[$0] ^= 1 << UInt8.random(in: 0...7, using: &$1) }
        case 2: bytes.removeLast(min(bytes.count, Int.random(in: 0...bytes.count, using: &generator)))
        case 3: withIndex(bytes) { bytes.insert(.random(in: 0...255, using: &$1), at: $0) }
        case 4: withIndex(bytes) { bytes[$0] = Self.spicy.randomElement(using: &$1) ?? 0 }
        case 5: withIndex(bytes) { bytes.insert(Self.spicy.randomElement(using: &$1) ?? 0, at: $0) }
        case 6: splice(&bytes, other)
        case 7:
            // The length in the low bits of a head.
            withIndex(bytes) { bytes[$0] = bytes[$0] & 0xE0 | UInt8.random(in: 0...31, using: &$1) }
        case 8: remove(&bytes)
        default: duplicate(&bytes)
        }
    }

    private mutating func withIndex(_ bytes: [UInt8], _ body: (Int, inout SeededGenerator) -> Void) {
        guard !bytes.isEmpty else { return }
        body(Int.random(in: 0..<bytes.count, using: &generator), &generator)
    }

    private mutating func range(_ count: Int) -> Range<Int> {
        let start = Int.random(in: 0...count, using: &generator)
        return start..<min(count, start + Int.random(in: 0...24, using: &generator))
    }

    private mutating func splice(_ bytes: inout [UInt8], _ other: [UInt8]) {
        let piece = other[range(other.count)]
        bytes.replaceSubrange(range(bytes.count), with: piece)
    }

    private mutating func remove(_ bytes: inout [UInt8]) { bytes.removeSubrange(range(bytes.count)) }

    private mutating func duplicate(_ bytes: inout [UInt8]) {
        let piece = Array(bytes[range(bytes.count)])
        bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &generator))
    }
}
