import ModelWire

/// Prefixes of topics, sorted and without those that another one covers. A look-up takes the logarithm of their number,
/// because a peer may name many.
struct PrefixSet: Sendable {
    private let prefixes: [[UInt8]]

    init(_ prefixes: [[UInt8]]) {
        var kept: [[UInt8]] = []
        // In sorted order a prefix stands right before all that it covers.
        for prefix in prefixes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if let last = kept.last, prefix.starts(with: last) { continue }
            kept.append(prefix)
        }
        self.prefixes = kept
    }

    /// Some prefix is a prefix of `bytes`.
    func covers(_ bytes: [UInt8]) -> Bool {
        let position = index(after: bytes)
        return position > 0 && bytes.starts(with: prefixes[position - 1])
    }

    /// Some prefix covers the topic, or begins with it.
    func overlaps(_ topic: Topic) -> Bool {
        let position = index(after: topic.bytes)
        if position > 0, topic.bytes.starts(with: prefixes[position - 1]) { return true }
        return position < prefixes.count && prefixes[position].starts(with: topic.bytes)
    }

    /// The index of the first prefix above `bytes`.
    private func index(after bytes: [UInt8]) -> Int {
        var (low, high) = (0, prefixes.count)
        while low < high {
            let middle = (low + high) / 2
            if bytes.lexicographicallyPrecedes(prefixes[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
