@_spi(CacheWriting) public import ModelCache
import ModelRecord
public import ModelWire

extension Origin {
    /// Writes several models of any types as one atomic step: in the origin's own copy, and in every replica.
    ///
    /// Writes to one model follow each other in order. A write that changes nothing is left out.
    /// - Parameter others: a copy of what others have written, too: the writes are compared with it and the own copy
    ///   together, and get later stamps. Nil where this origin alone writes these models.
    /// - Throws: `WireError` for a bad type or id, or fields that do not fit into a frame; nothing has changed then.
    /// - Returns: the stamp of the first write, or `.unchanged` when no write changed anything.
    public mutating func transaction(
        _ writes: WriteBatch, over others: Snapshot? = nil, now: Moment
    ) throws(WireError) -> PublishOutcome {
        var writes = writes
        writes.hashIDs()
        var states: [OriginType] = []
        var byteCounts: [Int: Int] = [:]
        let (bytes, slices) = (writes.updates.bytes, writes.updates.slices)
        let others = others.map { writes.records(in: $0) }
        for run in writes.runs {
            let state = try state(of: run.type)
            states.append(state)
            for index in run.range {
                let slice = slices[index]
                let id = bytes.span.extracting(slice.idRange)
                let own = state.table.record(id, idHash: slice.idHash)
                try checkSize(
                    id: id, fields: Int(slice.fieldCount), byteCount: slice.fieldsRange.count, record: own)
                if let others, run.write == .merge || run.write == .assign {
                    try checkJoint([others[index], own].compactMap(\.self), id: id, writes.updates.fields(at: index))
                }
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
        if let others { stayBehind(others, now: now) }
        let first = clock.tick(nowMilliseconds: now.wallMilliseconds)
        var stamp = first
        var written: Set<Int> = []
        let updates = commit(writes, over: others, states: states, stamp: &stamp)
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

    /// Refuses a merge that would make a model too large of what all have written: it would lose its oldest fields.
    private mutating func checkJoint(
        _ parts: [CellRecord], id: Span<UInt8>, _ fields: EncodedFields
    ) throws(WireError) {
        guard let record = CellRecord.joining(parts: parts) else { return }
        pairs.keepAll(fields)
        try checkSize(id: id, fields: pairs.count, byteCount: pairs.bytes.count, record: record)
    }

    /// Lets the clock pass what others have written to these models, as a write with an earlier stamp would be lost.
    private mutating func stayBehind(_ others: [CellRecord?], now: Moment) {
        for case let other? in others where !isTooFarAhead(other.lastStamp, now: now) {
            clock.observe(other.lastStamp)
        }
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
        _ writes: WriteBatch, over others: [CellRecord?]?, states: [OriginType], stamp: inout Stamp
    ) -> [PlacedUpdate] {
        var placed: [PlacedUpdate] = []
        var next = stamp
        let cache = cache
        cache.commit { commit in
            for (run, state) in zip(writes.runs, states) {
                for index in run.range {
                    let other = others?[index] ?? nil
                    if let update = place(writes, index, run.write, state, over: other, stamp: next, &commit) {
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
    /// - Parameter other: what a copy of the writes of others holds of the model.
    private mutating func place(
        _ writes: WriteBatch, _ index: Int, _ write: Write, _ state: OriginType, over other: CellRecord?,
        stamp: Stamp, _ commit: inout Commit
    ) -> PlacedUpdate? {
        let (slice, bytes) = (writes.updates.slices[index], writes.updates.bytes)
        let id = bytes.span.extracting(slice.idRange)
        let own = commit.current(type: state.name, id: id, idHash: slice.idHash)
        let record = other.map { _ in CellRecord.joining(parts: [other, own].compactMap(\.self)) } ?? own
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
