/// The state of one model by section 2 of the protocol article, word for word and without a thought for speed.
///
/// The reference shares no code with records and their merge, and knows neither their versions nor their values: what
/// the two agree on, they agree on because both follow the article. Tests of the merge, the simulator's oracle and the
/// histories of the thread tests are all held against it.
public struct ReferenceModel<Version: Comparable & Hashable & Sendable, Content: ReferenceContent>: Hashable, Sendable {
    /// A field's content, and the version that wrote it.
    public struct Cell: Hashable, Sendable {
        public var content: Content
        public var version: Version

        public init(_ content: Content, _ version: Version) { (self.content, self.version) = (content, version) }
    }

    /// The version of the last replace or delete; nil for none.
    public var floor: Version?
    /// The version of the last merge or replace; nil for none.
    public var touched: Version?
    /// By field.
    public var cells: [String: Cell] = [:]

    /// A model that nobody has written.
    public init() {}

    /// The model is there for readers.
    public var exists: Bool {
        guard let touched else { return false }
        return floor.map { touched >= $0 } ?? true
    }

    /// The cells without those of removed fields: what readers and digests see.
    public var knownCells: [String: Cell] { cells.filter { !$0.value.content.isRemoval } }

    /// The values that a reader sees; nil where the model does not exist.
    public var visible: [String: Content]? { exists ? knownCells.mapValues(\.content) : nil }

    /// Applies an update.
    /// - Returns: how many cells met another content at the same version.
    @discardableResult
    public mutating func apply(
        _ operation: ReferenceOperation, _ fields: [String: Content], at version: Version
    ) -> Int {
        if operation != .delete { raise(&touched, to: version) }
        if operation != .merge { raise(&floor, to: version) }
        var conflicts = 0
        if operation != .delete, !isBelowFloor(version) {
            for (field, content) in fields { conflicts += set(field, Cell(content, version)) }
        }
        dropBelowFloor()
        return conflicts
    }

    /// Joins another state of the same model.
    /// - Returns: how many cells had the same version and another content.
    @discardableResult
    public mutating func join(_ other: Self) -> Int {
        raise(&floor, to: other.floor)
        raise(&touched, to: other.touched)
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
        guard present.version == cell.version, present.content != cell.content else { return 0 }
        if present.content.precedes(cell.content) { cells[field] = cell }
        return 1
    }

    private mutating func dropBelowFloor() {
        for (field, cell) in cells where isBelowFloor(cell.version) { cells[field] = nil }
    }

    private func isBelowFloor(_ version: Version) -> Bool { floor.map { version < $0 } ?? false }

    /// The greater of two versions; none is below every version.
    private func raise(_ known: inout Version?, to version: Version?) {
        known = [known, version].compactMap(\.self).max()
    }
}

extension ReferenceModel: CustomStringConvertible {
    public var description: String {
        let known = cells.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value.version)" }.joined(separator: " ")
        let floor = floor.map { "\($0)" } ?? "none"
        let touched = touched.map { "\($0)" } ?? "none"
        return "[floor \(floor), touched \(touched), cells: \(known)]"
    }
}
