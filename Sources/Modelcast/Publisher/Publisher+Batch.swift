public import ModelSync

extension Publisher {
    /// Writes several models, of any types, as one atomic step. No reader of a snapshot and no observer of a batch sees
    /// a part of it, here or in a subscriber that takes all its topics.
    ///
    /// ```swift
    /// try publisher.transaction { writes in
    ///     try writes.merge("Account", "1", ["balance": 90])
    ///     try writes.merge("Account", "2", ["balance": 110])
    /// }
    /// ```
    /// - Throws: what `body` throws, or ``ModelcastError``; nothing has changed then.
    @discardableResult
    public func transaction(_ body: (inout Writes) throws -> Void) throws -> PublishOutcome {
        try publish(body, whenEmpty: .unchanged) { origin, writes, now throws(WireError) in
            try origin.transaction(writes, now: now)
        }
    }

    /// Does several writes at once, one after the other. It has the effect of single writes at about half the cost,
    /// because the processor fetches many models at a time. It is not atomic; ``transaction(_:)`` is.
    /// - Throws: the errors of `body`, and ``ModelcastError`` for a bad name or value; nothing has changed then. Also
    ///   for a model that grows past what a frame can hold: that write is left out, and others may have been done.
    /// - Returns: how many of the writes are sent. The result may be ignored: where the outbox is full this throws, as
    ///   a single write does, and nothing has changed.
    @discardableResult
    public func batch(_ body: (inout Writes) throws -> Void) throws -> BatchOutcome {
        try publish(body, whenEmpty: BatchOutcome()) { origin, writes, now throws(WireError) in
            try origin.writeBatch(&writes, now: now)
        }
    }

    private func publish<Outcome: Sendable>(
        _ body: (inout Writes) throws -> Void, whenEmpty: Outcome,
        _ write: @Sendable (inout Origin, inout WriteBatch, Moment) throws(WireError) -> Outcome
    ) throws -> Outcome {
        // Reuses the memory of an earlier call, so that a batch allocates none.
        let spare = spareBatches.withLock { $0.popLast() }
        var writes = Writes(spare ?? WriteBatch(limits: configuration.limits), clock)
        do {
            try body(&writes)
        } catch {
            giveBack(&writes.batch)
            throw error
        }
        defer { giveBack(&writes.batch) }
        guard !writes.batch.isEmpty else { return whenEmpty }
        // The ids are hashed before the lock is taken.
        writes.batch.hashIDs()
        let now = clock.now()
        let (outcome, waker) = try core.withLock { core throws(ModelcastError) in
            try open(&core)
            try writes.constants.require(in: cache)
            do throws(WireError) {
                return try core.perform(now: now, count: writes.count) { origin throws(WireError) in
                    try write(&origin, &writes.batch, now)
                }
            } catch {
                throw ModelcastError(error)
            }
        }
        waker?.wake()
        return outcome ?? whenEmpty
    }

    /// Keeps the memory for a later call, unless it is large or enough is kept already.
    private func giveBack(_ batch: inout WriteBatch) {
        guard batch.capacityByteCount <= Publisher.spareByteCountMax else { return }
        batch.removeAll()
        spareBatches.withLock { spare in
            if spare.count < Publisher.spareBatchCountMax { spare.append(batch) }
        }
    }

    /// The greatest number of kept batches, and the greatest size of one in bytes.
    private static let spareBatchCountMax = 8
    private static let spareByteCountMax = 1 << 20
}
