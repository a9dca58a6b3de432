import ModelCBOR

extension CellRecord {
    /// What readers are told of a model that is taken out whole: a tombstone of its id.
    ///
    /// For observers only: its floor is the version that the model was touched with, so it must never be joined.
    public func removed(plan: inout MergePlan) -> CellRecord {
        guard exists else { return self }
        let bytes = storage.bytes
        var reader = CBORReader(bytes, at: idRange.upperBound)
        let floor = VersionSlice(reading: &reader)
        let touched = VersionSlice(reading: &reader)
        plan.reset()
        return RecordBuilder.make(
            id: bytes.extracting(idRange), idHash: idHash, floor: (touched ?? floor).view(in: bytes), touched: nil,
            exists: false, plan: plan, old: bytes, other: Span(), stamp: 0, origin: Span())
    }

    /// What observers are told when `other` takes the place of this record.
    public func isVisiblyDifferent(from other: CellRecord?) -> Bool {
        guard exists == (other?.exists ?? false) else { return true }
        return exists && hasChangedFields(since: other)
    }
}
