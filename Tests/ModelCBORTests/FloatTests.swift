import ModelCBOR
import ModelRecord
import TestSupport
import Testing

@Suite struct FloatTests {
    @Test func `each of the 65,536 half floats has the value of the processor, and is written as it was`() throws {
        for bits in UInt16.min...UInt16.max {
            let expected = Double(Float16(bitPattern: bits))
            let bytes: [UInt8] = [0xF9, UInt8(bits >> 8), UInt8(bits & 0xFF)]
            let value = try #require(CBORFloat.value(of: try head(bytes)))
            let written = encoded(.double(value))
            if expected.isNaN {
                try #require(value.isNaN && written == [0xF9, 0x7E, 0x00], "\(bits)")
            } else {
                try #require(value.bitPattern == expected.bitPattern && written == bytes, "\(bits)")
            }
        }
    }

    @Test func `a double takes the narrowest float that keeps it`() throws {
        forEachSeed(200_000) { _, generator in
            let value = randomDouble(using: &generator)
            let bytes = encoded(.double(value))
            let head = try head(bytes)
            let back = try #require(CBORFloat.value(of: head))
            try #require(value.isNaN ? back.isNaN : back.bitPattern == value.bitPattern)
            try #require(CBORFloat.isShortest(head))
            let fitsHalf = value.isNaN || Double(Float16(value)) == value
            let fitsSingle = value.isNaN || Double(Float(value)) == value
            try #require(bytes.count == (fitsHalf ? 3 : fitsSingle ? 5 : 9), "\(value)")
        }
    }

    @Test func `a float in a wider form than it needs is not deterministic`() throws {
        forEachSeed(100_000) { _, generator in
            let value = randomDouble(using: &generator)
            let bits = value.bitPattern
            let bytes = [0xFB] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
            let isNarrowest = encoded(.double(value)) == bytes
            try #require(
                read(bytes, .check) == .success(Passed(byteCount: 9, isDeterministic: isNarrowest)), "\(value)")
            try #require(read(bytes, .skip) == .success(Passed(byteCount: 9, isDeterministic: isNarrowest)), "\(value)")
        }
    }

    private func head(_ bytes: [UInt8]) throws(CBORError) -> CBORHead {
        var reader = CBORReader(bytes.span)
        return try reader.readHead()
    }

    private func randomDouble(using generator: inout SeededGenerator) -> Double {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: Double(bitPattern: .random(in: 0...UInt64.max, using: &generator))
        case 1: Double(Float(bitPattern: .random(in: 0...UInt32.max, using: &generator)))
        // The neighbours of half floats.
        case 2: Double(Float16(bitPattern: .random(in: 0...UInt16.max, using: &generator))).nextUp
        default: Double(Float16(bitPattern: .random(in: 0...UInt16.max, using: &generator)))
        }
    }
}
