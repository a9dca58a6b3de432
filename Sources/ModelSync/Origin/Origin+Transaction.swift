@_spi(CacheWriting) import ModelCache
import ModelRecord
public import ModelWire

extension Origin {
    /// Writes several models of any types as one atomic step: in the origin's own copy, and in every replica.
    ///
    /// Writes to one model follow each other in order. A write that changes nothing is left out.
    /// - Throws: `WireError` for a bad type or id, or fields that do not fit into a frame; nothing has changed then.
    /// - Returns: the stamp of the first write, or `.unchanged` when no write changed anything.
    public mutating func transaction(
        _ writes: WriteBatch, now: Moment
    ) throws(WireError) -> PublishOutcome {
        var writes = writes
        writes.hashIDs()
        var states: [OriginType] = []
        var byteCounts: [Int: Int] = [:]
        let (bytes, slices) = (writes.updates.bytes, writes.updates.slices)
        for run in writes.runs {
            let state = try state(of: run.type)
            states.append(state)
            for slice in slices[run.range] {
                let id = bytes.span.extracting(slice.idRange)
                try checkSize(
                    id: id, fields: Int(slice.fieldCount), byteCount: slice.fieldsRange.count,
                    record: state.table.record(id, idHash: slice.idHash))
                byteCounts[state.topicIndex(bucket: Fingerprint.bucket(idHash: slice.idHash)), default: 0] +=
                    slice.fieldsRange.count + slice.idRange.count + 32
            }
        }
        // The fields that a replace or an assignment drops travel too, so only half of the frame is for the given ones.
        guard writes.count <= configuration.limits.updateCount,
            byteCounts.values.allSatisfy({ $0 <= configuration.limits.frameByteCount / 2 })
        else {
            throw WireError(
                .limit,
                "a transaction has at most \(configuration.limits.updateCount) writes and "
                    + "\(configuration.limits.frameByteCount / 2) bytes per topic; split it")
        }
        if writes.updates.mayExpire { try prepareLeases(of: writes, now: now) }
        // A transaction over one topic is one batch; over several, batches of one stamp that name each other.
        for index in byteCounts.keys.sorted() { close(index, group: nil) }
        let first = clock.tick(nowMilliseconds: now.wallMilliseconds)
        var stamp = first
        var written: Set<Int> = []
        let updates = commit(writes, states: states, stamp: &stamp)
        for update in updates {
            if !topics[update.topic].isOpen {
                topics[update.topic].isOpen = true
                topics[update.topic].batch.begin(stamp: first)
                topics.open.append(update.topic)
            }
            topics[update.topic].batch.append(
                update.operation, stamp: update.stamp, id: bytes.span.extracting(update.id),
                fields: update.fields.bytes.span, fieldCount: update.fields.count)
            written.insert(update.topic)
        }
        clock.observe(stamp)
        let names = written.sorted().map { topics[$0].topic }
        if names.count > 1 { topics.hasTransactions = true }
        for index in written.sorted() { close(index, group: names.count > 1 ? names : nil) }
        noteExpiries(of: writes, now: now)
        return written.isEmpty ? .unchanged : .published(stamp: first)
    }

    private struct PlacedUpdate {
        var operation: UpdateOperation
        var topic: Int
        /// The range of the id in the bytes of the writes.
        var id: Range<Int>
        var fields: EncodedFields
        var stamp: Stamp
    }

    /// Merges all writes into the own copy in one commit.
    private mutating func commit(
        _ writes: WriteBatch, states: [OriginType], stamp: inout Stamp
    ) -> [PlacedUpdate] {
        var placed: [PlacedUpdate] = []
        var next = stamp
        let cache = cache
        cache.commit { commit in
            for (run, state) in zip(writes.runs, states) {
                for index in run.range {
                    if let update = place(writes, index, run.write, state, stamp: next, &commit) {
                        placed.append(update)
                        next += 1
                    }
                }
            }
        }
        stamp = max(stamp, next - 1)
        return placed
    }

    /// Merges one write; nil when it changes nothing.
    private mutating func place(
        _ writes: WriteBatch, _ index: Int, _ write: Write, _ state: OriginType, stamp: Stamp, _ commit: inout Commit
    ) -> PlacedUpdate? {
        let (slice, bytes) = (writes.updates.slices[index], writes.updates.bytes)
        let id = bytes.span.extracting(slice.idRange)
        let record = commit.current(type: state.name, id: id, idHash: slice.idHash)
        guard let operation = prepare(write, record: record, fields: writes.updates.fields(at: index)) else {
            return nil
        }
        let fields = EncodedFields(bytes: pairs.bytes, count: pairs.count)
        let all = fields.bytes + bytes[slice.idRange]
        let slices: InlineArray<1, UpdateSlice> = [
            UpdateSlice(
                operation: operation, stamp: stamp, idHash: slice.idHash, id: fields.bytes.count..<all.count,
                fields: 0..<fields.bytes.count, fieldCount: fields.count)
        ]
        commit.apply(
            UpdateBatchView(bytes: all.span, slices: slices.span, origin: name.bytes.span, originHash: name.hash),
            type: state.name)
        return PlacedUpdate(
            operation: operation, topic: state.topicIndex(bucket: Fingerprint.bucket(idHash: slice.idHash)),
            id: slice.idRange, fields: fields, stamp: stamp)
    }
}
