/// The cells of a record to be, as runs of bytes to copy: from the old record, from another record,
/// or from an update, whose values get the update's version.
///
/// One plan serves many merges, one after the other: it keeps its memory. Not safe to share.
public struct MergePlan {
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

    var runs: [Run] = []
    var cellCount = 0
    var byteCount = 0
    /// Something differs from the old record.
    var isChanged = false
    /// A reader could tell.
    var isVisible = false
    var digestDelta: UInt64 = 0
    var conflictingCells = 0

    /// An empty plan.
    public init() {}

    mutating func reset() {
        runs.removeAll(keepingCapacity: true)
        cellCount = 0
        byteCount = 0
        isChanged = false
        isVisible = false
        digestDelta = 0
        conflictingCells = 0
    }

    /// Keeps whole cells, one or several in a row; neighbours from one source become one run.
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

    /// The update has written a cell.
    var isWritten: Bool { runs.contains { $0.source == .update } }

    /// Appends the pairs of the update that were written, as they were encoded.
    /// - Parameter fields: the update's pairs, as they were when this plan was made.
    /// - Returns: how many there are.
    public func appendWritten(of fields: Span<UInt8>, to bytes: inout [UInt8]) -> Int {
        var count = 0
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
}
