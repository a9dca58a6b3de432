/// One CBOR item and where it stands, read in the plainest way: for the oracle, and for frames that are tampered with.
///
/// The reader shares no code with the decoders that the simulator checks. It is made for the deterministic encoding
/// that senders write; indefinite lengths, for example, read as nil.
struct PlainItem {
    enum Kind: Equatable {
        case unsigned(UInt64)
        case negative(UInt64)
        case bytes
        case text(String)
        case array
        /// Keys and values in turns.
        case map
        case tag(UInt64)
        case simple(UInt64)
    }

    let kind: Kind
    /// The whole item.
    let range: Range<Int>
    let children: [PlainItem]

    /// The item that takes all of `bytes`.
    init?(_ bytes: [UInt8]) {
        self.init(bytes, at: 0)
        guard range.upperBound == bytes.count else { return nil }
    }

    private init?(_ bytes: [UInt8], at start: Int) {
        guard start < bytes.count, let (argument, headEnd) = PlainItem.head(bytes, at: start) else { return nil }
        var children: [PlainItem] = []
        var end = headEnd
        let major = bytes[start] >> 5
        var childCount = 0
        switch major {
        case 0: kind = .unsigned(argument)
        case 1: kind = .negative(argument)
        case 2, 3:
            guard argument <= UInt64(bytes.count - headEnd) else { return nil }
            end = headEnd + Int(argument)
            kind = major == 2 ? .bytes : .text(String(decoding: bytes[headEnd..<end], as: UTF8.self))
        case 4, 5:
            guard argument <= UInt64(bytes.count - headEnd) else { return nil }
            childCount = Int(argument) * (major == 4 ? 1 : 2)
            kind = major == 4 ? .array : .map
        case 6:
            childCount = 1
            kind = .tag(argument)
        default: kind = .simple(argument)
        }
        for _ in 0..<childCount {
            guard let child = PlainItem(bytes, at: end) else { return nil }
            end = child.range.upperBound
            children.append(child)
        }
        range = start..<end
        self.children = children
    }

    private static func head(_ bytes: [UInt8], at start: Int) -> (argument: UInt64, end: Int)? {
        let low = bytes[start] & 31
        guard low >= 24 else { return (UInt64(low), start + 1) }
        guard low < 28 else { return nil }
        let end = start + 1 + 1 << Int(low - 24)
        guard end <= bytes.count else { return nil }
        return (bytes[(start + 1)..<end].reduce(0) { $0 << 8 | UInt64($1) }, end)
    }

    // These two are not inlined, because the optimiser of Swift 6.3.1 stops with an error where they stand in a chain
    // of optionals.
    @inline(never) var unsigned: UInt64? { if case .unsigned(let value) = kind { value } else { nil } }
    @inline(never) var text: String? { if case .text(let value) = kind { value } else { nil } }

    /// The bytes of a byte string or text, without its head.
    func content(of bytes: [UInt8]) -> [UInt8] {
        let head = [24: 2, 25: 3, 26: 5, 27: 9][Int(bytes[range.lowerBound] & 31)] ?? 1
        return Array(bytes[range].dropFirst(head))
    }
}
