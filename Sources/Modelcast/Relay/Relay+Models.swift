public import ModelCache
public import ModelRecord
public import ModelTypes
public import ModelViews

extension Relay: ModelSource {
    /// The model `id` of `type` as this relay has it, or nil when it does not exist. Costs a look-up.
    public subscript(type: String, id: String) -> CellRecord? { cache[type, id] }

    /// The record of a model of a Swift type, or nil when it does not exist.
    public func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord? { cache.record(of: type, id) }

    /// Reports the records of which a Swift type could not be made when they were read as that type.
    public var problems: ModelProblems { cache.problems }

    /// One cut across all types that does not change any more. O(1).
    public func snapshot() -> Snapshot { cache.snapshot() }
}
