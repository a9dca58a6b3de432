/// Cuts a stream of bytes into lines.
struct LineSplitter {
    private var rest: [UInt8] = []

    /// Adds bytes of the stream.
    /// - Returns: the lines that `bytes` complete, without their ends; empty lines are left out.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        rest.append(contentsOf: bytes)
        guard let last = rest.lastIndex(of: 0x0A) else { return [] }
        let lines = rest[..<last].split(separator: 0x0A).map { Array($0) }
        rest.removeSubrange(...last)
        return lines
    }
}
