import ModelCBOR
@_spi(CacheWriting) import ModelCache
public import ModelRecord
public import ModelWire

extension Origin {
    /// Stamps a write, merges it into the origin's own copy and appends it to the open batch of its topic.
    /// - Parameters:
    ///   - write: what the caller means; only what differs from the own copy travels.
    ///   - fields: empty for a delete.
    /// - Throws: `WireError` for a bad type or id, or fields that do not fit into a frame; nothing has changed then.
    public mutating func write(
        _ write: Write, type: String, id: String, fields: EncodedFields, now: Moment
    ) throws(WireError) -> PublishOutcome {
        let idHash = Fingerprint.fnv(id.utf8.span)
        return try self.write(write, type: type, id: id, idHash: idHash, fields: fields, now: now)
    }

    /// Does a write whose hash of the id is known already.
    /// - Parameter idHash: ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of the id.
    public mutating func write(
        _ write: Write, type: String, id: String, idHash: UInt64, fields: EncodedFields, now: Moment
    ) throws(WireError) -> PublishOutcome {
        let state = try state(of: type)
        do { try Names.check(id: id) } catch { throw WireError(error) }
        if fields.mayExpire {
            try prepareLease(
                of: state, id.utf8.span, idHash: idHash, fields.bytes.span, fieldCount: fields.count, now: now)
        }
        let outcome = try self.write(write, state, id: id.utf8.span, idHash: idHash, fields: fields, now: now)
        if fields.mayExpire { noteExpiry(of: state, id.utf8.span, idHash: idHash, now: now) }
        return outcome
    }

    /// Does one write, whose names have been checked.
    mutating func write(
        _ write: Write, _ state: OriginType, id: Span<UInt8>, idHash: UInt64, fields: EncodedFields, now: Moment
    ) throws(WireError) -> PublishOutcome {
        if write == .merge { return try merge(state, id: id, idHash: idHash, fields: fields, now: now) }
        let record = state.table.record(id, idHash: idHash)
        guard let operation = prepare(write, record: record, fields: fields) else { return .unchanged }
        try checkSize(
            id: id, fields: pairs.count, byteCount: pairs.bytes.count, record: operation == .replace ? nil : record)
        let stamp = clock.tick(nowMilliseconds: now.wallMilliseconds)
        cache.commit(
            UpdateView(
                operation: operation, stamp: stamp, origin: name.bytes.span, originHash: name.hash, id: id,
                idHash: idHash, fields: pairs.bytes.span, fieldCount: pairs.count),
            in: state.table)
        let topic = state.topicIndex(bucket: Fingerprint.bucket(idHash: idHash))
        append(operation, to: topic, id: id, stamp: stamp, now: now)
        return .published(stamp: stamp)
    }

    /// Does a merge. It needs no look at the record beforehand: one pass merges and tells what differs.
    private mutating func merge(
        _ state: OriginType, id: Span<UInt8>, idHash: UInt64, fields: EncodedFields, now: Moment
    ) throws(WireError) -> PublishOutcome {
        let stamp = clock.tick(nowMilliseconds: now.wallMilliseconds)
        let limit = configuration.limits.frameByteCount - BatchWriter.envelopeByteCountMax
        // Taken out of `self` for the call, which borrows `self`.
        var written: [UInt8] = []
        pairs.removeAll()
        swap(&written, &pairs.bytes)
        let result = cache.commitChanges(
            of: UpdateView(
                operation: .merge, stamp: stamp, origin: name.bytes.span, originHash: name.hash, id: id,
                idHash: idHash, fields: fields.bytes.span, fieldCount: fields.count),
            in: state.table, byteCountMax: limit, written: &written)
        defer { swap(&written, &pairs.bytes) }
        guard let result else { throw tooLarge(id) }
        guard result.summary.changed > 0 else { return .unchanged }
        let topic = state.topicIndex(bucket: Fingerprint.bucket(idHash: idHash))
        // Where all fields differ, the caller's bytes go into the batch, and are not copied on the way.
        if result.isWhole {
            append(
                .merge, to: topic, id: id, fields: fields.bytes.span, fieldCount: fields.count, stamp: stamp, now: now)
        } else {
            append(
                .merge, to: topic, id: id, fields: written.span, fieldCount: result.count, stamp: stamp, now: now)
        }
        return .published(stamp: stamp)
    }

    /// Fills ``pairs`` with what is to travel; nil when nothing has to.
    mutating func prepare(_ write: Write, record: CellRecord?, fields: EncodedFields) -> UpdateOperation? {
        let exists = record?.exists ?? false
        switch write {
        case .merge:
            pairs.keepChanges(fields, comparedWith: record)
            return pairs.count == 0 && exists ? nil : .merge
        case .assign:
            var removed = 0
            pairs.keepChanges(
                record.map { fields.addingUndefined(for: $0, removed: &removed) } ?? fields, comparedWith: record)
            if pairs.count == 0, exists { return nil }
            guard removed > Origin.removedFieldsMax(of: fields.count) || !fits(pairs, into: record) else {
                return .merge
            }
            pairs.keepAll(fields)
            return .replace
        case .replace:
            pairs.keepChanges(record.map { fields.addingUndefined(for: $0) } ?? fields, comparedWith: record)
            if pairs.count == 0, exists { return nil }
            pairs.keepAll(fields)
            return .replace
        case .delete:
            pairs.keepAll(EncodedFields())
            return exists ? .delete : nil
        }
    }

    /// How many removed fields an assignment of `fieldCount` fields may leave in a model. With one more it becomes a
    /// replace.
    static func removedFieldsMax(of fieldCount: Int) -> Int { max(64, 2 * fieldCount) }

    /// The pairs are no more than one update may have, and lead to no model that is too large.
    private func fits(_ pairs: PairFilter, into record: CellRecord?) -> Bool {
        guard pairs.count <= configuration.limits.fieldCount else { return false }
        do throws(WireError) {
            try checkSize(id: Span(), fields: pairs.count, byteCount: pairs.bytes.count, record: record)
            return true
        } catch { return false }
    }

    /// Refuses an update that does not fit into a frame, a model of which this origin alone would write more than a
    /// frame, and more fields than a model keeps. Each change of a model copies it, here and at every replica; and of
    /// too many fields replicas would leave out the oldest. Errs on the side of refusing: what is overwritten counts,
    /// too.
    func checkSize(id: Span<UInt8>, fields: Int, byteCount: Int, record: CellRecord?) throws(WireError) {
        let limit = configuration.limits.frameByteCount
        let added = byteCount + fields * (16 + name.bytes.count) + BatchWriter.envelopeByteCountMax
        guard added + (record?.byteCount ?? 0) > limit || hasTooManyFields(fields, record) else { return }
        throw tooLarge(id)
    }

    /// The model would have more cells than it keeps. The names are looked at only where there may be too many.
    private func hasTooManyFields(_ fields: Int, _ record: CellRecord?) -> Bool {
        guard let record, record.cellCount + fields > CellRecord.cellCountMax else { return false }
        return record.cellCount + pairs.newNameCount(beside: record) > CellRecord.cellCountMax
    }

    func tooLarge(_ id: Span<UInt8>) -> WireError {
        WireError(
            .limit,
            "\(CBORReader(id).string(0..<id.count)) would take more than the "
                + "\(configuration.limits.frameByteCount) bytes that a frame may have, or than "
                + "\(CellRecord.cellCountMax) fields; "
                + "split the model, or raise frameByteCount on all sides")
    }

    /// Appends the update in ``pairs`` to the open batch of a topic.
    private mutating func append(
        _ operation: UpdateOperation, to index: Int, id: Span<UInt8>, stamp: Stamp, now: Moment
    ) {
        let changes = pairs
        append(
            operation, to: index, id: id, fields: changes.bytes.span, fieldCount: changes.count, stamp: stamp, now: now)
    }

    /// Appends an update to the open batch of a topic, and closes the batch when it is large enough.
    mutating func append(
        _ operation: UpdateOperation, to index: Int, id: Span<UInt8>, fields: Span<UInt8>, fieldCount: Int,
        stamp: Stamp,
        now: Moment
    ) {
        if !topics[index].batch.hasRoom(fieldsByteCount: fields.count, limits: configuration.limits) {
            close(index, group: nil)
        }
        topics[index].batch.append(operation, stamp: stamp, id: id, fields: fields, fieldCount: fieldCount)
        if !topics[index].isOpen {
            topics[index].isOpen = true
            topics[index].openSince = now.uptimeMicroseconds
            topics.open.append(index)
        }
        if topics[index].batch.byteCount >= configuration.batchByteCount
            || topics[index].batch.updateCount >= configuration.limits.updateCount
        {
            close(index, group: nil)
        }
    }
}
