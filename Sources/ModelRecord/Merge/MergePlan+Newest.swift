import ModelCBOR

extension CellRecord {
    /// The most cells that a model keeps (protocol article, section 2). Merging more leaves out those with the lowest
    /// versions, so a model stays bounded whatever is written to it.
    ///
    /// Replicas agree on the cells that are left, in whatever order updates and states come. A cell is left out because
    /// of the many newer fields, and the version of a field never falls. Only a floor takes a newer field away, and it
    /// takes the older cell too.
    public static let cellCountMax = 4096

    /// The largest record, in bytes: an update or a state that would make a larger one is not merged. A row of a store
    /// is bounded by the same size.
    static let byteCountMax = 512 << 20

    /// This record with its newest cells only; the record itself if it has no cell too many.
    func trimmed(plan: inout MergePlan) -> CellRecord {
        guard cellCount > CellRecord.cellCountMax else { return self }
        let bytes = storage.bytes
        var reader = CBORReader(bytes, at: idRange.upperBound)
        let floor = VersionSlice(reading: &reader)
        let touched = VersionSlice(reading: &reader)
        plan.reset()
        plan.keep(.old, Int(storage.packed.cellsOffset), bytes.count, cells: cellCount)
        plan.keepNewest(old: bytes, other: Span(), stamp: 0, origin: Span())
        return RecordBuilder.make(
            id: bytes.extracting(idRange), idHash: idHash, floor: floor.view(in: bytes),
            touched: touched.view(in: bytes), exists: exists, plan: plan, old: bytes, other: Span(), stamp: 0,
            origin: Span())
    }

    /// The result of a merge whose plan was trimmed. The trimming may have left out the very cells that the merge
    /// brought, so the record may be unchanged.
    static func trimmedResult(_ made: CellRecord, from record: CellRecord, conflictingCells: Int) -> MergeResult {
        guard made != record else {
            return MergeResult(record: nil, isVisible: false, digestDelta: 0, conflictingCells: conflictingCells)
        }
        return MergeResult(
            record: made, isVisible: made.isVisiblyDifferent(from: record),
            digestDelta: made.digest &- record.digest, conflictingCells: conflictingCells
        ).withdrawn(like: record)
    }
}

extension MergePlan {
    /// One cell of the new record, and what it is ranked by. A cell of an update has the update's version.
    private struct Ranked {
        let run: Run
        let stamp: Stamp
        let origin: [UInt8]
        /// The encoded name.
        let key: [UInt8]
        var isKept = false

        func isAbove(_ other: Ranked) -> Bool {
            if stamp != other.stamp { return stamp > other.stamp }
            if origin != other.origin { return other.origin.lexicographicallyPrecedes(origin) }
            return other.key.lexicographicallyPrecedes(key)
        }
    }

    /// Leaves out the cells with the lowest versions until ``CellRecord/cellCountMax`` are left; of equal versions,
    /// those whose encoded names come first.
    /// - Complexity: O(*n* log *n*) in the number of cells: only a model past its bound comes here.
    mutating func keepNewest(old: Span<UInt8>, other: Span<UInt8>, stamp: Stamp, origin: Span<UInt8>) {
        var cells = ranked(old: old, other: other, stamp: stamp, origin: origin)
        let order = cells.indices.sorted { cells[$0].isAbove(cells[$1]) }
        for index in order.prefix(CellRecord.cellCountMax) { cells[index].isKept = true }
        droppedCells += max(cells.count - CellRecord.cellCountMax, 0)
        runs.removeAll(keepingCapacity: true)
        (cellCount, byteCount) = (0, 0)
        let tail = RecordBuilder.tailSize(stamp: stamp, originByteCount: origin.count)
        for cell in cells where cell.isKept {
            let run = cell.run
            if run.source == .update {
                write(run.start, run.value, run.end, versionByteCount: tail)
            } else {
                keep(run.source, run.start, run.end)
            }
        }
    }

    /// The cells of the runs, one by one.
    private func ranked(old: Span<UInt8>, other: Span<UInt8>, stamp: Stamp, origin: Span<UInt8>) -> [Ranked] {
        var cells: [Ranked] = []
        cells.reserveCapacity(cellCount)
        let own = origin.array
        for run in runs {
            let bytes = run.source == .old ? old : other
            guard run.source != .update else {
                cells.append(
                    Ranked(run: run, stamp: stamp, origin: own, key: bytes.extracting(run.start..<run.value).array))
                continue
            }
            var reader = CBORReader(bytes, at: run.start)
            while reader.offset < run.end {
                let cell = CellSlice(reading: &reader)
                cells.append(
                    Ranked(
                        run: Run(source: run.source, start: cell.key.lowerBound, value: 0, end: cell.end),
                        stamp: cell.version.stamp, origin: bytes.extracting(cell.version.origin).array,
                        key: bytes.extracting(cell.key).array))
            }
        }
        return cells
    }
}

extension Span<UInt8> {
    fileprivate var array: [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }
}
