import ModelCBOR

/// Removed fields: cells that hold `undefined`. Like deleted models, they are remembered for a time and then forgotten
/// (protocol article, section 2).
extension CellRecord {
    /// The number of removed fields.
    /// - Complexity: O(*n*) in the number of cells
    public var removedFieldCount: Int {
        var count = 0
        forEachCell { cell, bytes in
            if bytes[cell.value.lowerBound] == CBORConstant.undefinedByte { count += 1 }
            return true
        }
        return count
    }

    /// True when there is a removed field with a stamp below `stamp`.
    /// - Complexity: O(*n*) in the number of cells
    public func hasRemovedFields(olderThan stamp: Stamp) -> Bool {
        var isFound = false
        forEachCell { cell, bytes in
            isFound = CellRecord.isForgettable(cell, bytes, olderThan: stamp)
            return !isFound
        }
        return isFound
    }

    /// The same model without the removed fields whose stamps are below `stamp`; nil where there are none.
    ///
    /// Readers see no difference, and the digest stays the same. `plan` is scratch memory, reused from call to call.
    @_spi(RecordWriting)
    public func forgettingRemovedFields(olderThan stamp: Stamp, plan: inout MergePlan) -> CellRecord? {
        guard hasRemovedFields(olderThan: stamp) else { return nil }
        plan.reset()
        forEachCell { cell, bytes in
            if !CellRecord.isForgettable(cell, bytes, olderThan: stamp) {
                plan.keep(.old, cell.key.lowerBound, cell.end)
            }
            return true
        }
        return with(cells: plan)
    }

    private static func isForgettable(_ cell: CellSlice, _ bytes: Span<UInt8>, olderThan stamp: Stamp) -> Bool {
        bytes[cell.value.lowerBound] == CBORConstant.undefinedByte && cell.version.stamp < stamp
    }
}
