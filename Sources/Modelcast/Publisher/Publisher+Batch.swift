public import ModelCache
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
        try publish(body, over: nil, whenEmpty: .unchanged) { origin, writes, _, now throws(WireError) in
            try origin.transaction(writes, now: now)
        }
    }

    /// Writes models that other publishers write, too, as one atomic step.
    ///
    /// Other writes are compared with what this publisher has published: a field that another one has changed since
    /// would count as unchanged, and nothing would be sent. These are compared with `others` as well, and come later
    /// than everything that is there, also where the clock of this machine is behind that of another writer.
    ///
    /// ```swift
    /// try publisher.transaction(over: subscriber.cache) { writes in
    ///     try writes.require("Account", "1", .isAt([account.revision]))
    ///     try writes.merge("Account", "1", ["balance": 90])
    /// }
    /// ```
    /// Two processes that do this at the same time do not know of each other yet: both writes happen, and the later one
    /// wins, field by field. To let only one happen, let one process write.
    /// - Parameters:
    ///   - others: the copy of a subscriber or relay of this process, which hears of the other publishers.
    ///   - body: adds the writes, and what they require.
    /// - Throws: what `body` throws, or ``ModelcastError``, with code `conflict` where a precondition is not met;
    ///   nothing has changed then.
    @discardableResult
    public func transaction(
        over others: ModelCache, _ body: (inout Writes) throws -> Void
    ) throws -> PublishOutcome {
        try publish(body, over: others, whenEmpty: .unchanged) { origin, writes, others, now throws(WireError) in
            try origin.transaction(writes, over: others, now: now)
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
        try publish(body, over: nil, whenEmpty: BatchOutcome()) { origin, writes, _, now throws(WireError) in
            try origin.writeBatch(&writes, now: now)
        }
    }

    private func publish<Outcome: Sendable>(
        _ body: (inout Writes) throws -> Void, over others: ModelCache?, whenEmpty: Outcome,
        _ write: @Sendable (inout Origin, inout WriteBatch, Snapshot?, Moment) throws(WireError) -> Outcome
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
            let others = others?.snapshot()
            try writes.constants.require(in: cache, over: others)
            // Asked first, as most writes have none, and the call alone takes references.
            if !writes.preconditions.isEmpty { try writes.preconditions.require(in: cache, over: others) }
            do throws(WireError) {
                return try core.perform(now: now, count: writes.count) { origin throws(WireError) in
                    try write(&origin, &writes.batch, others, now)
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
            guard spare.count < Publisher.spareBatchCountMax else { return }
            // Moved and not copied, which would take a reference to each part of the batch.
            spare.append(WriteBatch(limits: batch.limits))
            swap(&spare[spare.count - 1], &batch)
        }
    }

    /// The greatest number of kept batches, and the greatest size of one in bytes.
    private static let spareBatchCountMax = 8
    private static let spareByteCountMax = 1 << 20
}
