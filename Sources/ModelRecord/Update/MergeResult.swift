/// What came of applying an update or joining a state.
public struct MergeResult: Sendable {
    /// The new record, or nil when nothing at all changed: a duplicate or something older.
    public var record: CellRecord?
    /// A reader could tell the new record from the old one: existence or a value differs, not just a version.
    public var isVisible: Bool
    /// What to add, modulo 2^64, to the digest of the model's bucket.
    public var digestDelta: UInt64
    /// Cells that had the same version and another value: never from a correct origin.
    public var conflictingCells: Int

    static var unchanged: MergeResult {
        MergeResult(record: nil, isVisible: false, digestDelta: 0, conflictingCells: 0)
    }
}
