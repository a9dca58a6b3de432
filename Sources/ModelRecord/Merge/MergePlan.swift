/// The plan of a merge: the cells of the new record, as runs of bytes to copy from the old record, from another record,
/// or from an update, whose values get the update's version.
///
/// One plan serves many merges, one after the other: it keeps its memory.
///
/// Safe to use: the pointer is private, and the memory behind it lives as long as the plan, of which there are no
/// copies.
@_spi(RecordWriting)
@safe public struct MergePlan: ~Copyable {
    enum Source: UInt8 {
        /// Whole cells of the old record.
        case old
        /// Whole cells of the record that is joined.
        case other
        /// A key and value of the update, which becomes a cell with the update's version.
        case update
    }

    struct Run {
        var source: Source
        var start: Int
        /// Where the value begins; only for an update.
        var value: Int
        var end: Int
    }

    /// A value of the old record that is replaced by one of the update, and the version behind it.
    struct CellOverwrite {
        /// Where the old value begins.
        var oldValue: UInt32
        /// Where the bytes that stay begin again: behind the cell's stamp, or behind its origin if the update has
        /// another origin.
        var oldEnd: UInt32
        /// Where the field begins in the update.
        var key: UInt32
        /// Where the value begins in the update.
        var value: UInt32
        /// Where the value ends.
        var end: UInt32
        /// The number of the cell in the record.
        var cell: UInt32
        /// The number of bytes by which the cell grows; negative when it shrinks.
        var growth: Int32
        /// The update has the origin that wrote the cell before.
        var keepsOrigin: Bool

        /// The bytes of the old record that are replaced.
        @inline(__always)
        var oldRange: Range<Int> { Int(oldValue)..<Int(oldEnd) }
    }

    /// How the update's version replaces `touched` of the old record.
    struct Touch {
        /// The bytes of `touched` in the old record.
        var range = 0..<0
        /// The update has the origin that touched the model last.
        var keepsOrigin = false
        /// The size of the update's stamp and origin, encoded.
        var tailByteCount = 0

        /// The number of bytes by which the record grows before its first cell; negative when it shrinks.
        @inline(__always)
        var growth: Int { 1 &+ tailByteCount &- range.count }
    }

    /// An update of more fields is merged by ``runs``.
    static let overwriteCountMax = 16

    var runs: [Run] = []
    /// Used in place of ``runs`` when an update changes values only.
    private let overwrites: UnsafeMutablePointer<CellOverwrite>
    private(set) var overwriteCount = 0
    /// The replacement of `touched` that belongs to the overwrites.
    var touch = Touch()
    /// Memory that is reused for new records.
    var spares = SpareRecords()
    /// The field names of earlier merges: the hash of each, and its last cell.
    let names = FieldNames()
    /// The number of bytes by which all overwritten cells grow together.
    private(set) var growth = 0
    /// Some overwritten cell has changed its size.
    private(set) var isResized = false
    var cellCount = 0
    var byteCount = 0
    /// The new record differs from the old one.
    var isChanged = false
    /// A reader can see a difference: another value, or a model that has come or gone.
    var isVisible = false
    var digestDelta: UInt64 = 0
    var conflictingCells = 0
    /// How many cells were left out because their model had too many, over all merges since ``takeDroppedCells()``. A
    /// merge that was refused because its record would be too large counts as one.
    public internal(set) var droppedCells = 0

    /// An empty plan.
    public init() { unsafe overwrites = .allocate(capacity: MergePlan.overwriteCountMax) }

    deinit { unsafe overwrites.deallocate() }

    /// True when the new record has more cells than a model keeps. Overwrites are never too many: they add no cell.
    @inline(__always)
    public var hasTooManyCells: Bool { overwriteCount == 0 && cellCount > CellRecord.cellCountMax }

    /// How many cells were left out since the last call (``droppedCells``).
    @inline(__always)
    public mutating func takeDroppedCells() -> Int {
        guard droppedCells > 0 else { return 0 }
        defer { droppedCells = 0 }
        return droppedCells
    }

    mutating func reset() {
        overwriteCount = 0
        growth = 0
        isResized = false
        if !runs.isEmpty { runs.removeAll(keepingCapacity: true) }
        cellCount = 0
        byteCount = 0
        isChanged = false
        isVisible = false
        digestDelta = 0
        conflictingCells = 0
    }

    /// Keeps whole cells, one or several in a row; adjacent runs from one source become one run.
    @inline(__always)
    mutating func keep(_ source: Source, _ start: Int, _ end: Int, cells: Int = 1) {
        cellCount &+= cells
        byteCount &+= end &- start
        if let last = runs.indices.last, runs[last].source == source, runs[last].end == start {
            runs[last].end = end
        } else {
            runs.append(Run(source: source, start: start, value: 0, end: end))
        }
    }

    /// The update has written at least one cell.
    var isWritten: Bool { runs.contains { $0.source == .update } }

    /// True when the plan overwrites a value for each of the update's `fieldCount` fields.
    @inline(__always)
    public func hasWritten(all fieldCount: Int) -> Bool { overwriteCount == fieldCount && fieldCount > 0 }

    /// Appends the pairs of the update that were written, as they were encoded.
    /// - Parameters:
    ///   - fields: the update's pairs, as they were when this plan was made.
    ///   - bytes: where they are appended.
    /// - Returns: the number of pairs appended.
    public func appendWritten(of fields: Span<UInt8>, to bytes: inout [UInt8]) -> Int {
        if overwriteCount > 0 { appendOverwrites(of: fields, to: &bytes) }
        var count = overwriteCount
        for run in runs where run.source == .update {
            let pair = fields.extracting(run.start..<run.end)
            unsafe pair.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            count &+= 1
        }
        return count
    }

    /// Makes a cell of a key and value of the update.
    /// - Parameter versionByteCount: the size of the encoded stamp and origin.
    @inline(__always)
    mutating func write(_ start: Int, _ value: Int, _ end: Int, versionByteCount: Int) {
        cellCount &+= 1
        byteCount &+= end &- start &+ 1 &+ versionByteCount
        runs.append(Run(source: .update, start: start, value: value, end: end))
    }

    /// Notes one overwrite; a plan holds at most ``overwriteCountMax``.
    @inline(__always)
    mutating func overwrite(_ overwrite: CellOverwrite) {
        precondition(overwriteCount < MergePlan.overwriteCountMax, "a merge plan has room for so many overwrites")
        unsafe (overwrites + overwriteCount).initialize(to: overwrite)
        overwriteCount &+= 1
        growth &+= Int(overwrite.growth)
        isResized = isResized || overwrite.growth != 0
    }

    /// True when no byte that stays has to move: the overwrites may be written into the record itself, see
    /// ``UnmanagedRecord/overwrite(_:_:)``.
    @inline(__always)
    public var keepsSize: Bool { !isResized && touch.growth == 0 }

    /// The overwrite at `index`.
    @inline(__always)
    func overwrite(at index: Int) -> CellOverwrite {
        precondition(0 <= index && index < overwriteCount, "a merge plan has so many overwrites")
        return unsafe overwrites[index]
    }

    /// Appends the written pairs; pairs that stand in a row are copied as one.
    private func appendOverwrites(of fields: Span<UInt8>, to bytes: inout [UInt8]) {
        var start = Int(overwrite(at: 0).key)
        var end = start
        for index in 0..<overwriteCount {
            let next = overwrite(at: index)
            if Int(next.key) != end {
                unsafe fields.extracting(start..<end).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
                start = Int(next.key)
            }
            end = Int(next.end)
        }
        unsafe fields.extracting(start..<end).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}
