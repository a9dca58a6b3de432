import ModelCBOR

extension CellRecord {
    /// A tombstone of this model, for readers of a model that is taken out whole.
    ///
    /// For observers only: the floor of the tombstone is the version that touched the model, so it must never be
    /// joined.
    @_spi(RecordWriting)
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

    /// A tombstone like ``removed(plan:)``, for observers of a model that leaves the copy for its limits, with a mark
    /// that it was not deleted. A tombstone that leaves is itself.
    @_spi(RecordWriting)
    public func evicted(plan: inout MergePlan) -> CellRecord {
        guard exists else { return self }
        let gone = removed(plan: &plan)
        gone.storage.withdraw()
        return gone
    }

    /// True when observers have to be told that this record takes the place of `other`: another existence, or another
    /// value.
    public func isVisiblyDifferent(from other: CellRecord?) -> Bool {
        guard isPresent == (other?.isPresent ?? false) else { return true }
        return isPresent && hasChangedFields(since: other)
    }
}
