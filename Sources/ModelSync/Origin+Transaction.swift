import ModelCache
public import ModelRecord
public import ModelWire

/// One write of a transaction.
public struct TransactionEntry: Sendable {
    public var write: Write
    public var type: String
    public var id: String
    /// Empty for a delete.
    public var fields: EncodedFields

    public init(_ write: Write, type: String, id: String, fields: EncodedFields) {
        self.write = write
        self.type = type
        self.id = id
        self.fields = fields
    }
}

extension Origin {
    /// Writes several models of any types as one atomic step: in the origin's own copy, and in every replica.
    ///
    /// Writes to one model follow each other in order. What changes nothing is left out.
    /// - Throws: `WireError` for a bad type or id, or fields that do not fit into a frame; nothing has changed then.
    /// - Returns: the stamp of the first write, or `.unchanged` when all were.
    public mutating func transaction(
        _ entries: [TransactionEntry], now: Moment
    ) throws(WireError) -> PublishOutcome {
        var states: [TypeState] = []
        var byteCounts: [Int: Int] = [:]
        for entry in entries {
            states.append(try state(of: entry.type))
            do { try Names.check(id: entry.id) } catch { throw WireError(error) }
            try checkSize(
                id: entry.id, fields: entry.fields.count, byteCount: entry.fields.bytes.count,
                record: cache.record(type: entry.type, id: entry.id, includingTombstones: true))
            byteCounts[states[states.count - 1].topicIndex(bucket: bucket(of: entry.id)), default: 0] +=
                entry.fields.bytes.count + entry.id.utf8.count + 32
        }
        // Fields that a replace or an assignment drops travel too, hence half of the frame.
        guard entries.count <= configuration.limits.updateCount,
            byteCounts.values.allSatisfy({ $0 <= configuration.limits.frameByteCount / 2 })
        else {
            throw WireError(
                .limit,
                "a transaction has at most \(configuration.limits.updateCount) writes and "
                    + "\(configuration.limits.frameByteCount / 2) bytes per topic; split it")
        }
        // A transaction over one topic is one batch; over several, batches of one stamp that name each other.
        for index in byteCounts.keys.sorted() { close(index, group: nil) }
        let first = clock.tick(nowMilliseconds: now.wallMilliseconds)
        var stamp = first
        var written: Set<Int> = []
        let updates = commit(entries, states: states, stamp: &stamp)
        for update in updates {
            if !topics[update.topic].isOpen {
                topics[update.topic].isOpen = true
                topics[update.topic].batch.begin(stamp: first)
                open.append(update.topic)
            }
            topics[update.topic].batch.append(
                update.operation, stamp: update.stamp, id: update.id.utf8.span, fields: update.fields.bytes.span,
                fieldCount: update.fields.count)
            written.insert(update.topic)
        }
        clock.observe(stamp)
        let names = written.sorted().map { topics[$0].topic }
        for index in written.sorted() { close(index, group: names.count > 1 ? names : nil) }
        return written.isEmpty ? .unchanged : .published(stamp: first)
    }

    private func bucket(of id: String) -> Int { Fingerprint.bucket(idHash: Fingerprint.fnv(id)) }

    private struct PlacedUpdate {
        var operation: Operation
        var topic: Int
        var id: String
        var fields: EncodedFields
        var stamp: Stamp
    }

    /// Merges all entries into the own copy in one commit.
    private mutating func commit(
        _ entries: [TransactionEntry], states: [TypeState], stamp: inout Stamp
    ) -> [PlacedUpdate] {
        var placed: [PlacedUpdate] = []
        var next = stamp
        let cache = cache
        cache.commit { commit in
            for (entry, state) in zip(entries, states) {
                let idHash = Fingerprint.fnv(entry.id)
                let record = commit.current(type: entry.type, id: entry.id.utf8.span, idHash: idHash)
                guard let operation = prepare(entry.write, record: record, fields: entry.fields) else { continue }
                let fields = EncodedFields(bytes: pairs.bytes, count: pairs.count)
                let bytes = fields.bytes + Array(entry.id.utf8)
                let slices: InlineArray<1, UpdateSlice> = [
                    UpdateSlice(
                        operation: operation, stamp: next, idHash: idHash, id: fields.bytes.count..<bytes.count,
                        fields: 0..<fields.bytes.count, fieldCount: fields.count)
                ]
                commit.apply(
                    UpdateBatchView(
                        bytes: bytes.span, slices: slices.span, origin: nameBytes.span, originHash: nameHash),
                    type: entry.type)
                placed.append(
                    PlacedUpdate(
                        operation: operation, topic: state.topicIndex(bucket: Fingerprint.bucket(idHash: idHash)),
                        id: entry.id, fields: fields, stamp: next))
                next += 1
            }
        }
        stamp = max(stamp, next - 1)
        return placed
    }
}
