/// What came of a merge: as ``MergeResult``, with a record that is not counted.
@unsafe public struct UnmanagedMerge {
    /// Owns a count; nil when nothing at all changed.
    public var record: UnmanagedRecord?
    public var isVisible = false
    public var digestDelta: UInt64 = 0
    public var conflictingCells = 0
    /// The record has yet to be made, or written over: see ``UnmanagedRecord/prepare(_:plan:keepingEqual:)``.
    public var isPrepared = false

    /// Nothing has changed.
    @inline(__always)
    init() {}

    /// Takes over the count of the result's record.
    public init(_ result: consuming MergeResult) {
        unsafe isVisible = result.isVisible
        unsafe digestDelta = result.digestDelta
        unsafe conflictingCells = result.conflictingCells
        if let made = result.record { unsafe record = UnmanagedRecord(made) }
    }
}
