import ModelRecord

/// Rewrites a deterministic record into another well-formed encoding of the same: wider heads, indefinite lengths,
/// keys in another order, wider floats, and elements that a later version of the protocol might add.
struct Scrambler {
    /// One item of the deterministic encoding, taken apart.
    private indirect enum Item {
        case number(UInt8, UInt64)
        case string(UInt8, [UInt8])
        case array([Item])
        case map([(Item, Item)])
        case tag(UInt64, Item)
        /// A simple value or a float, as it stands.
        case simple([UInt8])
    }

    private var input: ArraySlice<UInt8>
    private var generator: SeededGenerator
    private var output: [UInt8] = []

    static func scramble(_ record: CellRecord, _ generator: inout SeededGenerator) -> [UInt8] {
        var scrambler = Scrambler(input: record.array[...], generator: generator)
        scrambler.writeRecord(scrambler.readItem())
        generator = scrambler.generator
        return scrambler.output
    }

    private mutating func readItem() -> Item {
        let initial = input.removeFirst()
        let major = initial >> 5
        let width = initial & 31 < 24 ? 0 : 1 << Int(initial & 3)
        let argumentBytes = Array(input.prefix(width))
        input.removeFirst(width)
        if major == 7 { return .simple([initial] + argumentBytes) }
        let argument = width == 0 ? UInt64(initial & 31) : argumentBytes.reduce(0) { $0 << 8 | UInt64($1) }
        switch major {
        case 0, 1: return .number(major, argument)
        case 2, 3:
            let content = Array(input.prefix(Int(argument)))
            input.removeFirst(Int(argument))
            return .string(major, content)
        case 4: return .array((0..<argument).map { _ in readItem() })
        case 5: return .map((0..<argument).map { _ in (readItem(), readItem()) })
        default: return .tag(argument, readItem())
        }
    }

    private mutating func coin() -> Bool { Bool.random(using: &generator) }

    private mutating func writeRecord(_ record: Item) {
        guard case .array(var parts) = record, case .map(let cells) = parts[3] else { return }
        for index in 1...2 { if case .array(let version) = parts[index] { parts[index] = .array(extended(version)) } }
        parts[3] = .map(
            cells.map { key, cell in
                if case .array(let triple) = cell { (key, .array(extended(triple))) } else { (key, cell) }
            })
        write(.array(extended(parts)))
    }

    private mutating func extended(_ elements: [Item]) -> [Item] {
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return elements }
        let more = Int.random(in: 1...30, using: &generator)
        return elements + (0..<more).map { _ in .array([.number(0, 1), .string(3, [0x78])]) }
    }

    private mutating func writeHead(_ major: UInt8, _ argument: UInt64) {
        var head = encodedHead(major, argument)
        while head.count < 9, coin() {
            let width = head.count == 1 ? 1 : (head.count - 1) * 2
            let bytes = (0..<width).reversed().map { UInt8(truncatingIfNeeded: argument >> UInt64($0 * 8)) }
            head = [major << 5 + 24 + UInt8(width.trailingZeroBitCount)] + bytes
        }
        output += head
    }

    private mutating func write(_ item: Item) {
        switch item {
        case .number(let major, let argument):
            writeHead(major, argument)
        case .string(let major, let content):
            writeString(major, content)
        case .array(let elements):
            let isIndefinite = coin()
            if isIndefinite { output.append(0x9F) } else { writeHead(4, UInt64(elements.count)) }
            for element in elements { write(element) }
            if isIndefinite { output.append(0xFF) }
        case .map(let pairs):
            let isIndefinite = coin()
            if isIndefinite { output.append(0xBF) } else { writeHead(5, UInt64(pairs.count)) }
            for (key, value) in pairs.shuffled(using: &generator) {
                write(key)
                write(value)
            }
            if isIndefinite { output.append(0xFF) }
        case .tag(let number, let content):
            writeHead(6, number)
            write(content)
        case .simple(let bytes):
            let isFloat = bytes.count > 2
            if isFloat, coin(), let value = try? Value(bytes: bytes), let double = value.doubleValue {
                output.append(0xFB)
                output += (0..<8).reversed().map { UInt8(truncatingIfNeeded: double.bitPattern >> ($0 * 8)) }
            } else {
                output += bytes
            }
        }
    }

    private mutating func writeString(_ major: UInt8, _ content: [UInt8]) {
        guard coin() else {
            writeHead(major, UInt64(content.count))
            output += content
            return
        }
        output.append(major << 5 | 31)
        var rest = content[...]
        while !rest.isEmpty {
            var count = Int.random(in: 1...rest.count, using: &generator)
            // A chunk of text holds whole characters.
            while major == 3, count < rest.count, rest[rest.startIndex + count] & 0xC0 == 0x80 { count += 1 }
            writeHead(major, UInt64(count))
            output += rest.prefix(count)
            rest.removeFirst(count)
        }
        output.append(0xFF)
    }
}
