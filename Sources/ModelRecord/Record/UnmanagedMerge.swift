/// The result of a merge, like ``MergeResult``, with an ``UnmanagedRecord``.
@_spi(RecordWriting)
@unsafe public struct UnmanagedMerge {
    /// The new record, of which this value owns a count; nil when nothing at all changed.
    public var record: UnmanagedRecord?
    /// See ``MergeResult/isVisible``.
    public var isVisible = false
    /// See ``MergeResult/digestDelta``.
    public var digestDelta: UInt64 = 0
    /// See ``MergeResult/conflictingCells``.
    public var conflictingCells = 0
    /// The record has yet to be made, or to be written over: see ``UnmanagedRecord/prepare(_:plan:keepingEqual:)``.
    public var isPrepared = false

    /// The result of a merge that changes nothing.
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
