extension FieldName {
    /// The field of a model that is leased: for how many milliseconds its publisher may be silent. (Protocol article,
    /// "Models that end".)
    public static let lease: FieldName = "$leaseMs"
}

extension CellRecord {
    /// The lease of the model; nil where it has none, or says it in another form.
    /// - Complexity: O(*n*) in the number of fields.
    public var lease: Lease? {
        var cursor = FieldCursor(self)
        guard cursor.find(.lease), let milliseconds = cursor.int.flatMap(Lease.milliseconds),
            let version = version(of: FieldName.lease.text)
        else { return nil }
        return Lease(milliseconds: milliseconds, version: version)
    }

    /// The same state, withdrawn from readers or given back to them. Views that are kept on this record are not kept on
    /// the other.
    package func settingWithdrawn(_ isWithdrawn: Bool) -> CellRecord {
        var header = storage.facts
        header.exists = exists
        let copy = RecordBuilder.copy(storage.bytes, header)
        if isWithdrawn, exists { copy.storage.withdraw() }
        return copy
    }

    /// Withdraws this record, which nobody else has seen, where it takes the place of one that is withdrawn and whose
    /// lease it still has.
    package func isWithdrawn(like old: CellRecord) -> Bool {
        guard old.isWithdrawn, exists, let lease = old.lease, lease == self.lease else { return false }
        storage.withdraw()
        return true
    }
}

extension MergeResult {
    /// The result for a reader: what others write into a withdrawn model does not bring it back, and its delete is
    /// none.
    func withdrawn(like old: CellRecord) -> MergeResult {
        guard old.isWithdrawn, let record else { return self }
        var result = self
        result.isVisible = !record.isWithdrawn(like: old) && record.exists
        return result
    }
}

extension Fields {
    /// The value of the field with the model's lease; nil where these fields say nothing of it.
    package var lease: Value? { sizes.mayExpire || nested != nil ? self[FieldName.lease.text] : nil }
}
