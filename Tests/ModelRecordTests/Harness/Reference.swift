/// Section 2 of the protocol article, word for word and without any thought for speed. It shares no code with
/// ModelRecord: what the two agree on, they agree on because both follow the article.
struct ReferenceVersion: Hashable, Comparable, CustomStringConvertible {
    var stamp: UInt64
    var origin: String

    static func < (left: Self, right: Self) -> Bool {
        if left.stamp == right.stamp { return Array(left.origin.utf8).precedes(Array(right.origin.utf8)) }
        return left.stamp < right.stamp
    }

    var description: String { "\(stamp)@\(origin)" }
}

enum ReferenceOperation: UInt64, CaseIterable {
    case merge, replace, delete
}

/// An update whose values are encoded already.
struct ReferenceUpdate: Hashable {
    var operation: ReferenceOperation
    var version: ReferenceVersion
    var fields: [String: [UInt8]]
}

struct ReferenceState: Hashable {
    struct Cell: Hashable {
        var value: [UInt8]
        var version: ReferenceVersion
    }

    var floor: ReferenceVersion?
    var touched: ReferenceVersion?
    var cells: [String: Cell] = [:]

    /// - Returns: how many cells met another value at the same version.
    mutating func apply(_ update: ReferenceUpdate) -> Int {
        let version = update.version
        if update.operation != .delete { touched = greater(touched, version) }
        if update.operation != .merge { floor = greater(floor, version) }
        dropBelowFloor()
        guard update.operation != .delete else { return 0 }
        var conflicts = 0
        for (field, value) in update.fields where !isBelowFloor(version) {
            conflicts += set(field, Cell(value: value, version: version))
        }
        return conflicts
    }

    /// - Returns: how many cells had the same version and another value.
    mutating func join(_ other: ReferenceState) -> Int {
        floor = greater(floor, other.floor)
        touched = greater(touched, other.touched)
        var conflicts = 0
        for (field, cell) in other.cells { conflicts += set(field, cell) }
        dropBelowFloor()
        return conflicts
    }

    private mutating func set(_ field: String, _ cell: Cell) -> Int {
        guard let present = cells[field], present.version >= cell.version else {
            cells[field] = cell
            return 0
        }
        guard present.version == cell.version, present.value != cell.value else { return 0 }
        if present.value.precedes(cell.value) { cells[field] = cell }
        return 1
    }

    private mutating func dropBelowFloor() {
        cells = cells.filter { !isBelowFloor($0.value.version) }
    }

    private func isBelowFloor(_ version: ReferenceVersion) -> Bool {
        if let floor { version < floor } else { false }
    }

    var exists: Bool {
        guard let touched else { return false }
        if let floor { return touched >= floor }
        return true
    }

    /// What a reader sees: nothing, or the known fields.
    var visible: [String: [UInt8]]? {
        exists ? cells.mapValues(\.value).filter { $0.value != [0xF7] } : nil
    }

    /// Section 7, from scratch.
    func digest(id: String) -> UInt64 {
        guard exists, let touched else { return 0 }
        var sum = term(id, "", touched)
        for (field, cell) in cells where cell.value != [0xF7] { sum &+= term(id, field, cell.version) }
        return sum
    }

    /// Section 2, "Tombstones": removed fields whose stamps are below `stamp`.
    mutating func forgetRemovedFields(olderThan stamp: UInt64) {
        cells = cells.filter { $0.value.value != [0xF7] || $0.value.version.stamp >= stamp }
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
            bytes += key + [0x83] + cell.value
            bytes += encodedHead(0, cell.version.stamp) + encodedText(cell.version.origin)
        }
        return bytes
    }

    private func encoded(_ version: ReferenceVersion?) -> [UInt8] {
        guard let version else { return [0xF6] }
        return [0x82] + encodedHead(0, version.stamp) + encodedText(version.origin)
    }
}

/// None is below everything.
private func greater(_ left: ReferenceVersion?, _ right: ReferenceVersion?) -> ReferenceVersion? {
    guard let left, let right else { return left ?? right }
    return max(left, right)
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
