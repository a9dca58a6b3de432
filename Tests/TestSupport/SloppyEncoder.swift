import ModelCBOR
import ModelRecord

/// Rewrites CBOR items in one of their many other encodings: wider heads and floats, indefinite lengths, strings in
/// pieces, pairs of maps in any order. The value stays the same.
public struct SloppyEncoder {
    private var generator: SeededGenerator

    /// An encoder whose choices follow from a seed.
    public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Rewrites one item.
    /// - Parameter encoded: one valid item in deterministic encoding.
    public mutating func rewrite(_ encoded: [UInt8]) -> [UInt8] {
        var reader = CBORReader(encoded.span)
        var result: [UInt8] = []
        item(&reader, &result)
        return result
    }

    private mutating func chance() -> Bool { Bool.random(using: &generator) }

    private mutating func item(_ reader: inout CBORReader, _ result: inout [UInt8]) {
        let start = reader.offset
        guard let head = try? reader.readHead() else { preconditionFailure("the item must be valid") }
        switch head.major {
        case .unsigned, .negative:
            write(head.major, head.argument, &result)
        case .tag:
            write(.tag, head.argument, &result)
            item(&reader, &result)
        case .bytes, .text:
            var content: [UInt8] = []
            reader.offset = start
            guard (try? reader.appendString(to: &content)) != nil else { preconditionFailure("the item must be valid") }
            string(head.major, content, &result)
        case .array:
            let isIndefinite = begin(.array, head.argument, &result)
            for _ in 0..<head.argument { item(&reader, &result) }
            if isIndefinite { result.append(CBORConstant.breakByte) }
        case .map:
            var pairs: [[UInt8]] = []
            for _ in 0..<head.argument {
                var pair: [UInt8] = []
                item(&reader, &pair)
                item(&reader, &pair)
                pairs.append(pair)
            }
            let isIndefinite = begin(.map, head.argument, &result)
            for pair in pairs.shuffled(using: &generator) { result.append(contentsOf: pair) }
            if isIndefinite { result.append(CBORConstant.breakByte) }
        case .simple:
            if let value = CBORFloat.value(of: head) {
                float(value, head, reader.bytes.extracting(start..<reader.offset), &result)
            } else {
                for index in start..<reader.offset { result.append(reader.bytes[index]) }
            }
        }
    }

    /// Writes the head of an array or map; true when it must be closed by a break.
    private mutating func begin(_ major: CBORMajor, _ count: UInt64, _ result: inout [UInt8]) -> Bool {
        let isIndefinite = chance()
        if isIndefinite { result.append(major.rawValue << 5 | 31) } else { write(major, count, &result) }
        return isIndefinite
    }

    /// Writes a head of any width that holds the argument.
    private mutating func write(_ major: CBORMajor, _ argument: UInt64, _ result: inout [UInt8]) {
        let least =
            switch argument {
            case ..<24: 0
            case ...0xFF: 1
            case ...0xFFFF: 2
            case ...0xFFFF_FFFF: 4
            default: 8
            }
        let width = [0, 1, 2, 4, 8].filter { $0 >= least }.randomElement(using: &generator) ?? 8
        let information: UInt8 =
            switch width {
            case 0: UInt8(truncatingIfNeeded: argument)
            case 1: 24
            case 2: 25
            case 4: 26
            default: 27
            }
        result.append(major.rawValue << 5 | information)
        for byte in stride(from: width - 1, through: 0, by: -1) {
            result.append(UInt8(truncatingIfNeeded: argument >> UInt64(8 * byte)))
        }
    }

    private mutating func string(_ major: CBORMajor, _ content: [UInt8], _ result: inout [UInt8]) {
        guard chance() else {
            write(major, UInt64(content.count), &result)
            result.append(contentsOf: content)
            return
        }
        result.append(major.rawValue << 5 | 31)
        var rest = content[...]
        while !rest.isEmpty {
            var count = Int.random(in: 0...rest.count, using: &generator)
            // Each piece of a text must be valid text itself, so it ends where a scalar ends.
            if major == .text {
                while count < rest.count, rest[rest.startIndex + count] & 0xC0 == 0x80 { count += 1 }
            }
            write(major, UInt64(count), &result)
            result.append(contentsOf: rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        result.append(CBORConstant.breakByte)
    }

    private mutating func float(
        _ value: Double, _ head: CBORHead, _ original: Span<UInt8>, _ result: inout [UInt8]
    ) {
        let single = Float(value)
        if head.information < 26, !value.isNaN, chance() {
            result.append(0xFA)
            for byte in (0..<4).reversed() { result.append(UInt8(truncatingIfNeeded: single.bitPattern >> (8 * byte))) }
        } else if chance() {
            result.append(0xFB)
            for byte in (0..<8).reversed() { result.append(UInt8(truncatingIfNeeded: value.bitPattern >> (8 * byte))) }
        } else {
            for index in original.indices { result.append(original[index]) }
        }
    }
}
