@_spi(CacheWriting) import ModelCache
import ModelRecord
public import ModelWire

extension Origin {
    /// Does several writes, one after the other. The result is that of ``write(_:type:id:fields:now:)`` for each, at a
    /// lower cost.
    ///
    /// Merges of one type that stand in a row are one commit. The batch as a whole is not atomic for replicas;
    /// ``transaction(_:now:)`` is.
    /// - Parameter writes: the writes; their memory serves as scratch.
    /// - Throws: `WireError` for a model that grows past a frame: its write is left out, and others may have been done.
    public mutating func writeBatch(_ writes: inout WriteBatch, now: Moment) throws(WireError) -> BatchOutcome {
        writes.hashIDs()
        // Also where a write is refused: others have been done by then.
        let mayExpire = writes.updates.mayExpire
        if mayExpire { try prepareLeases(of: writes, now: now) }
        defer { if mayExpire { noteExpiries(of: writes, now: now) } }
        var outcome = BatchOutcome()
        for run in writes.runs {
            let state = try state(of: run.type)
            if run.write == .merge {
                try mergeRun(run.range, of: &writes.updates, state, now: now, outcome: &outcome)
                continue
            }
            for index in run.range {
                let slice = writes.updates.slices[index]
                let bytes = writes.updates.bytes
                let result = try write(
                    run.write, state, id: bytes.span.extracting(slice.idRange), idHash: slice.idHash,
                    fields: writes.updates.fields(at: index), now: now)
                if result == .unchanged { outcome.unchanged += 1 } else { outcome.published += 1 }
            }
        }
        return outcome
    }

    /// Does the merges of one type: one commit, in which cache misses overlap, then one append for each merge that
    /// changed something.
    private mutating func mergeRun(
        _ range: Range<Int>, of updates: inout UpdateBuffer, _ state: OriginType, now: Moment,
        outcome: inout BatchOutcome
    ) throws(WireError) {
        for index in range { updates.slices[index].stamp = clock.tick(nowMilliseconds: now.wallMilliseconds) }
        // Taken out of `self` for the call, with their memory, which is kept from batch to batch.
        var changes = pairs.takeChanges(
            byteCountMax: configuration.limits.frameByteCount - BatchWriter.envelopeByteCountMax)
        let (bytes, slices, origin) = (updates.bytes, updates.slices, name)
        cache.commit(
            changesOf: UpdateBatchView(
                bytes: bytes.span, slices: slices.span.extracting(range), origin: origin.bytes.span,
                originHash: origin.hash),
            in: state.table, noting: &changes)
        var refused: Int?
        for (index, change) in zip(range, changes.entries) {
            guard change.isChanged else {
                if change.isTooLarge { refused = refused ?? index }
                outcome.unchanged += 1
                continue
            }
            let slice = slices[index]
            let topic = state.topicIndex(bucket: Fingerprint.bucket(idHash: slice.idHash))
            let id = bytes.span.extracting(slice.idRange)
            if change.isWhole {
                append(
                    .merge, to: topic, id: id, fields: bytes.span.extracting(slice.fieldsRange),
                    fieldCount: change.count, stamp: slice.stamp, now: now)
            } else {
                append(
                    .merge, to: topic, id: id, fields: changes.pairs.span.extracting(change.pairs),
                    fieldCount: change.count, stamp: slice.stamp, now: now)
            }
            outcome.published += 1
        }
        pairs.giveBack(changes)
        if let refused { throw tooLarge(bytes.span.extracting(slices[refused].idRange)) }
    }
}
