import ModelRecord

/// The events of a simulation, a line for each.
public struct Story: Sendable {
    let isTold: Bool
    /// Time in milliseconds, node, event.
    public private(set) var lines: [String] = []
    /// FNV-1a of all lines: two runs with one digest went the same way.
    public private(set) var digest = Fingerprint.empty

    init(isTold: Bool) { self.isTold = isTold }

    mutating func add(microseconds: UInt64, node: String, _ text: String) {
        let padding = String(repeating: " ", count: max(0, 12 - node.count))
        let line = "\(Story.format(microseconds)) ms  \(node)\(padding) \(text)"
        lines.append(line)
        digest = (digest ^ Fingerprint.fnv(line)) &* 0x100_0000_01B3
    }

    /// Milliseconds with three decimals, in ten columns.
    static func format(_ microseconds: UInt64) -> String {
        let decimals = String(microseconds % 1000 + 1000).dropFirst()
        let whole = String(microseconds / 1000)
        return String(repeating: " ", count: max(0, 6 - whole.count)) + whole + "." + decimals
    }
}
