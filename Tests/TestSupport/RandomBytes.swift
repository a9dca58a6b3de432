public import ModelRecord

extension [UInt8] {
    /// Random bytes.
    public static func random(lengths: ClosedRange<Int>, using generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: lengths, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
    }

    /// Replaces one to three bytes by random ones, which may be the same.
    public mutating func damage(using generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: indices, using: &generator)
            self[index] = .random(in: 0...255, using: &generator)
        }
    }
}
