import ModelCache
import ModelRecord
public import ModelWire

/// What became of a batch of writes.
public struct BatchOutcome: Hashable, Sendable {
    /// Writes that are on their way.
    public var published = 0
    /// Writes that changed nothing and were not sent.
    public var unchanged = 0

    public init() {}
}

extension Origin {
    /// Does several writes, one after the other: the same as ``write(_:type:id:fields:now:)`` for each, for less.
    ///
    /// Merges of one type that stand in a row are one commit. The whole is not atomic for replicas: that is
    /// ``transaction(_:now:)``. All names are checked before anything is written.
    /// - Throws: `WireError` for a bad type or id, when nothing has changed yet, or for a model that grows past a
    ///   frame: that write is left out, others may have been done.
    public mutating func writeBatch(
        _ entries: [TransactionEntry], now: Moment
    ) throws(WireError) -> BatchOutcome {
        for entry in entries {
            _ = try state(of: entry.type)
            do { try Names.check(id: entry.id) } catch { throw WireError(error) }
        }
        var outcome = BatchOutcome()
        var start = 0
        while start < entries.count {
            var end = start
            while end < entries.count, case .merge = entries[end].write, entries[end].type == entries[start].type {
                end += 1
            }
            if end > start {
                try mergeRun(entries[start..<end], now: now, outcome: &outcome)
                start = end
            } else {
                let entry = entries[start]
                let result = try write(entry.write, type: entry.type, id: entry.id, fields: entry.fields, now: now)
                if result == .unchanged { outcome.unchanged += 1 } else { outcome.published += 1 }
                start += 1
            }
        }
        return outcome
    }

    /// Merges of one type: one commit, in which cache misses overlap, then one append for each that changed something.
    private mutating func mergeRun(
        _ entries: ArraySlice<TransactionEntry>, now: Moment, outcome: inout BatchOutcome
    ) throws(WireError) {
        guard let type = entries.first?.type else { return }
        let state = try state(of: type)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.reduce(0) { $0 + $1.fields.bytes.count + $1.id.utf8.count })
        var slices: [UpdateSlice] = []
        slices.reserveCapacity(entries.count)
        for entry in entries {
            let fieldsStart = bytes.count
            bytes.append(contentsOf: entry.fields.bytes)
            let idStart = bytes.count
            bytes.append(contentsOf: entry.id.utf8)
            slices.append(
                UpdateSlice(
                    operation: .merge, stamp: clock.tick(nowMilliseconds: now.wallMilliseconds),
                    idHash: Fingerprint.fnv(entry.id), id: idStart..<bytes.count, fields: fieldsStart..<idStart,
                    fieldCount: entry.fields.count))
        }
        var changes = BatchChanges(
            byteCountMax: configuration.limits.frameByteCount - BatchWriter.envelopeByteCountMax)
        cache.commit { commit in
            let batch = UpdateBatchView(
                bytes: bytes.span, slices: slices.span, origin: nameBytes.span, originHash: nameHash)
            commit.apply(changesOf: batch, type: type, noting: &changes)
        }
        var refused: String?
        for (index, change) in changes.entries.enumerated() {
            let slice = slices[index]
            guard change.isChanged else {
                if change.isTooLarge { refused = refused ?? entries[entries.startIndex + index].id }
                outcome.unchanged += 1
                continue
            }
            let id = bytes.span.extracting(Int(slice.idStart)..<Int(slice.idStart + slice.idByteCount))
            append(
                .merge, to: state.topicIndex(bucket: Fingerprint.bucket(idHash: slice.idHash)), id: id,
                fields: changes.pairs.span.extracting(change.pairs), fieldCount: change.count, stamp: slice.stamp)
            outcome.published += 1
        }
        if let refused { throw tooLarge(refused) }
    }
}
