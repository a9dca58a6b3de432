import ModelReference

/// A version by section 2 of the protocol article. Like the reference model it shares no code with ModelRecord.
struct ReferenceVersion: Hashable, Comparable, CustomStringConvertible {
    var stamp: UInt64
    var origin: String

    static func < (left: Self, right: Self) -> Bool {
        if left.stamp == right.stamp { return Array(left.origin.utf8).precedes(Array(right.origin.utf8)) }
        return left.stamp < right.stamp
    }

    var description: String { "\(stamp)@\(origin)" }
}

/// An update whose values are encoded already.
struct ReferenceUpdate: Hashable {
    var operation: ReferenceOperation
    var version: ReferenceVersion
    var fields: [String: [UInt8]]
}

typealias ReferenceState = ReferenceModel<ReferenceVersion, [UInt8]>

extension ReferenceModel where Version == ReferenceVersion, Content == [UInt8] {
    /// - Returns: how many cells met another value at the same version.
    mutating func apply(_ update: ReferenceUpdate) -> Int { apply(update.operation, update.fields, at: update.version) }

    /// Section 7, from scratch.
    func digest(id: String) -> UInt64 {
        guard exists, let touched else { return 0 }
        var sum = term(id, "", touched)
        for (field, cell) in knownCells { sum &+= term(id, field, cell.version) }
        return sum
    }

    /// Section 2, "Tombstones": removed fields whose stamps are below `stamp`.
    mutating func forgetRemovedFields(olderThan stamp: UInt64) {
        cells = cells.filter { !$0.value.content.isRemoval || $0.value.version.stamp >= stamp }
    }

    private func term(_ id: String, _ field: String, _ version: ReferenceVersion) -> UInt64 {
        let place = splitMix(fnv1a(id) ^ fnv1a(field))
        return splitMix(splitMix(place &+ version.stamp) ^ fnv1a(version.origin))
    }

    /// `record` of section 5 in the deterministic encoding of section 3.
    func encoded(id: String) -> [UInt8] {
        let pairs = cells.map { (key: encodedText($0.key), cell: $0.value) }
        var bytes = [0x84] + encodedText(id) + encoded(floor) + encoded(touched)
        bytes += encodedHead(5, UInt64(pairs.count))
        for (key, cell) in pairs.sorted(by: { $0.key.precedes($1.key) }) {
            bytes += key + [0x83] + cell.content
            bytes += encodedHead(0, cell.version.stamp) + encodedText(cell.version.origin)
        }
        return bytes
    }

    private func encoded(_ version: ReferenceVersion?) -> [UInt8] {
        guard let version else { return [0xF6] }
        return [0x82] + encodedHead(0, version.stamp) + encodedText(version.origin)
    }
}

func encodedHead(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
    func bytes(_ count: UInt64) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: argument >> ($0 * 8)) }
    }
    return switch argument {
    case 0..<24: [major << 5 + UInt8(argument)]
    case 24..<0x100: [major << 5 + 24] + bytes(1)
    case 0x100..<0x1_0000: [major << 5 + 25] + bytes(2)
    case 0x1_0000..<0x1_0000_0000: [major << 5 + 26] + bytes(4)
    default: [major << 5 + 27] + bytes(8)
    }
}

func encodedText(_ text: String) -> [UInt8] {
    encodedHead(3, UInt64(text.utf8.count)) + Array(text.utf8)
}

/// FNV-1a with 64 bits, by its decimal constants.
func fnv1a(_ text: String) -> UInt64 { fnv1a(Array(text.utf8)) }

func fnv1a(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
}

/// The finaliser of splitmix64.
func splitMix(_ value: UInt64) -> UInt64 {
    let first = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
    return second ^ second >> 31
}

extension [UInt8] {
    func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}
