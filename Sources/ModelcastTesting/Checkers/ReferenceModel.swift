import ModelRecord

/// The state of one model by section 2 of the protocol article, word for word and without a thought for speed.
///
/// The oracle joins every update ever published with it; it shares no code with ModelRecord's merge.
struct ReferenceModel: Equatable {
    struct Cell: Equatable {
        /// The encoded value.
        var value: [UInt8]
        var version: Version
    }

    var floor: Version?
    var touched: Version?
    var cells: [String: Cell] = [:]

    mutating func apply(_ update: PublishedUpdate) {
        if update.operation != .delete { touched = ReferenceModel.greater(touched, update.version) }
        if update.operation != .merge { floor = ReferenceModel.greater(floor, update.version) }
        if update.operation != .delete {
            for (field, value) in update.fields { set(field, Cell(value: value, version: update.version)) }
        }
        dropBelowFloor()
    }

    mutating func join(_ other: ReferenceModel) {
        floor = ReferenceModel.greater(floor, other.floor)
        touched = ReferenceModel.greater(touched, other.touched)
        for (field, cell) in other.cells { set(field, cell) }
        dropBelowFloor()
    }

    /// The part of the state that has versions of this origin.
    func written(by origin: String) -> ReferenceModel {
        var result = self
        if floor?.origin != origin { result.floor = nil }
        if touched?.origin != origin { result.touched = nil }
        result.cells = cells.filter { $0.value.version.origin == origin }
        return result
    }

    /// True when joining `other` would change nothing.
    func holds(_ other: ReferenceModel) -> Bool {
        var joined = self
        joined.join(other)
        return joined == self
    }

    /// True when applying `update` would change nothing.
    func holds(_ update: PublishedUpdate) -> Bool {
        var applied = self
        applied.apply(update)
        return applied == self
    }

    /// The cells without those of removed fields: what readers and digests see.
    var knownCells: [String: Cell] { cells.filter { $0.value.value != PublishedUpdate.undefined } }

    var exists: Bool {
        guard let touched else { return false }
        return floor.map { touched >= $0 } ?? true
    }

    private mutating func set(_ field: String, _ cell: Cell) {
        if let present = cells[field] {
            if present.version > cell.version { return }
            if present.version == cell.version, !present.value.lexicographicallyPrecedes(cell.value) { return }
        }
        cells[field] = cell
    }

    private mutating func dropBelowFloor() {
        guard let floor else { return }
        for (field, cell) in cells where cell.version < floor { cells[field] = nil }
    }

    /// The greater of two versions; nil is less than every version.
    private static func greater(_ left: Version?, _ right: Version?) -> Version? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }
}

extension ReferenceModel {
    /// The state that a record holds, read from its bytes.
    init(_ record: CellRecord) {
        let bytes = record.bytes
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        guard let item = PlainItem(copy), item.children.count == 4 else { return }
        floor = ReferenceModel.version(item.children[1].children[...])
        touched = ReferenceModel.version(item.children[2].children[...])
        let pairs = item.children[3].children
        for index in stride(from: 0, to: pairs.count, by: 2) {
            guard let field = pairs[index].text, let value = pairs[index + 1].children.first,
                let version = ReferenceModel.version(pairs[index + 1].children.dropFirst())
            else { continue }
            cells[field] = Cell(value: Array(copy[value.range]), version: version)
        }
    }

    private static func version(_ items: ArraySlice<PlainItem>) -> Version? {
        guard items.count == 2, let stamp = items.first?.unsigned, let origin = items.last?.text else { return nil }
        return Version(stamp: stamp, origin: origin)
    }
}

extension ReferenceModel: CustomStringConvertible {
    var description: String {
        let known = cells.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value.version)" }.joined(separator: " ")
        let floor = floor.map { "\($0)" } ?? "none"
        let touched = touched.map { "\($0)" } ?? "none"
        return "[floor \(floor), touched \(touched), cells: \(known)]"
    }
}
