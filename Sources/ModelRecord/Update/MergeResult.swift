/// The result of applying an update or joining a state.
public struct MergeResult: Sendable {
    /// The new record; nil when nothing changed, as after a duplicate or an older update.
    public var record: CellRecord?
    /// True when a reader can tell the new record from the old one: existence or a value differs, not only a version.
    public var isVisible: Bool
    /// The number to add, modulo 2^64, to the digest of the model's bucket.
    public var digestDelta: UInt64
    /// The number of cells that had the same version and another value, which never comes from a correct origin.
    public var conflictingCells: Int

    static var unchanged: MergeResult {
        MergeResult(record: nil, isVisible: false, digestDelta: 0, conflictingCells: 0)
    }
}
