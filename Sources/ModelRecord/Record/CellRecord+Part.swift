import ModelCBOR

extension CellRecord {
    /// The part of this model that `origin` has written and that nothing newer has replaced: its cells, its touch and
    /// its floor. Nil where there is none, or where another origin has deleted the model since.
    ///
    /// The parts of all origins, joined, are this record again, if the model exists.
    /// - Parameters:
    ///   - origin: the name of the publisher.
    ///   - earliest: what has an earlier stamp is left out.
    ///   - plan: scratch memory, reused from call to call.
    /// - Complexity: O(*n*) in the bytes.
    @_spi(RecordWriting)
    public func part(of origin: String, since earliest: Stamp = 0, plan: inout MergePlan) -> CellRecord? {
        let bytes = storage.bytes
        var reader = CBORReader(bytes, at: idRange.upperBound)
        func isPart(_ version: VersionSlice) -> Bool { version.stamp >= earliest && version.isBy(origin, in: bytes) }
        let floor = VersionSlice(reading: &reader).flatMap { isPart($0) ? $0 : nil }
        guard exists || floor != nil else { return nil }
        // An origin that was not the last to touch the model has touched it with its newest cell.
        var touched = VersionSlice(reading: &reader).flatMap { isPart($0) ? $0 : nil }
        plan.reset()
        var run = CellRun(bytes, at: Int(storage.packed.cellsOffset), count: cellCount)
        while let cell = run.cell {
            if isPart(cell.version) {
                plan.keep(.old, cell.key.lowerBound, cell.end)
                if touched.map({ cell.version.stamp > $0.stamp }) ?? true { touched = cell.version }
            }
            run.advance()
        }
        guard floor != nil || touched != nil else { return nil }
        return RecordBuilder.make(
            id: bytes.extracting(idRange), idHash: idHash, floor: floor.view(in: bytes),
            touched: touched.view(in: bytes),
            exists: CellRecord.exists(floor: floor.view(in: bytes), touched: touched.view(in: bytes)),
            plan: plan, old: bytes, other: Span(), stamp: 0, origin: Span())
    }

    /// The id of this model and the versions of the last writes to it as a whole, without any field: what says whether
    /// it exists.
    /// - Complexity: O(*1*) but for the id.
    @_spi(RecordWriting)
    public var withoutCells: CellRecord { with(cells: MergePlan()) }

    /// The same model with those of its cells alone that a plan keeps: id, floor and touch stay as they are.
    func with(cells plan: borrowing MergePlan) -> CellRecord {
        let bytes = storage.bytes
        var reader = CBORReader(bytes, at: idRange.upperBound)
        let floor = VersionSlice(reading: &reader)
        let touched = VersionSlice(reading: &reader)
        return RecordBuilder.make(
            id: bytes.extracting(idRange), idHash: idHash, floor: floor.view(in: bytes),
            touched: touched.view(in: bytes), exists: exists, plan: plan, old: bytes, other: Span(), stamp: 0,
            origin: Span())
    }

    /// The names of the origins that have written what the record holds.
    /// - Complexity: O(*n*) in the bytes.
    public var origins: Set<String> {
        var origins = Set([floor, touched].compactMap { $0?.origin })
        forEachCell { cell, bytes in
            origins.insert(CBORReader(bytes).string(cell.version.origin))
            return true
        }
        return origins
    }

    /// True when an origin that `isSuch` accepts has written something of what the record holds.
    /// - Complexity: O(*n*) in the bytes, up to the first.
    public func isWritten(by isSuch: (String) -> Bool) -> Bool {
        if let touched, isSuch(touched.origin) { return true }
        if let floor, isSuch(floor.origin) { return true }
        var isFound = false
        forEachCell { cell, bytes in
            isFound = isSuch(CBORReader(bytes).string(cell.version.origin))
            return !isFound
        }
        return isFound
    }

    /// True when `isSuch` accepts one of the versions that count in the digest: that of the last write, or that of a
    /// known field.
    /// - Complexity: O(*n*) in the bytes, up to the first.
    public func hasVersion(where isSuch: (Version) -> Bool) -> Bool {
        var isFound = touched.map(isSuch) ?? false
        guard !isFound else { return true }
        forEachCell { cell, bytes in
            isFound =
                bytes[cell.value.lowerBound] != CBORConstant.undefinedByte && isSuch(cell.version.version(in: bytes))
            return !isFound
        }
        return isFound
    }
}

extension VersionSlice {
    fileprivate func isBy(_ name: String, in bytes: Span<UInt8>) -> Bool { version(in: bytes).origin == name }
}
