@_spi(CacheWriting) import ModelCache
public import ModelRecord
public import ModelSync
import ModelWire
import ZeroMQ

extension Publisher {
    /// Sets these fields of a model and leaves the others as they are. The model comes to exist if it did not.
    ///
    /// Only fields whose value differs from ``cache`` travel.
    /// - Parameters:
    ///   - type: `[A-Za-z_][A-Za-z0-9_.-]{0,63}`.
    ///   - id: 1 to 255 bytes of UTF-8 without NUL.
    ///   - fields: the new values; `.null` empties a field.
    ///   - expires: when the model ends.
    /// - Returns: whether anything is sent. The result may be ignored, as a refused write throws.
    /// - Throws: ``ModelcastError`` with code `bad-input` for a name or value outside the limits, `outbox-full` where
    ///   too much waits to be sent (``waitForRoom(timeout:)``), `store` while the disk does not take what must be on
    ///   it, `stopped` once the publisher has ended. Nothing has changed then.
    @discardableResult
    public func merge(
        _ type: String, _ id: String, _ fields: Fields, expires: Expiry = .unchanged
    ) throws(ModelcastError) -> PublishOutcome {
        try write(.merge, type, id, fields, expires)
    }

    /// Makes these the model's only fields. All others are removed, whoever wrote them, and so is its end.
    @discardableResult
    public func replace(
        _ type: String, _ id: String, _ fields: Fields, expires: Expiry = .unchanged
    ) throws(ModelcastError) -> PublishOutcome {
        try write(.replace, type, id, fields, expires)
    }

    /// Makes these the model's only fields by sending the difference. Removed fields become unknown, and so does the
    /// model's end.
    @discardableResult
    public func assign(
        _ type: String, _ id: String, _ fields: Fields, expires: Expiry = .unchanged
    ) throws(ModelcastError) -> PublishOutcome {
        try write(.assign, type, id, fields, expires)
    }

    /// Deletes a model.
    @discardableResult
    public func delete(_ type: String, _ id: String) throws(ModelcastError) -> PublishOutcome {
        try write(.delete, type, id, [:], .unchanged)
    }

    /// Does one write under the lock.
    /// - Parameter isWanted: called under the lock, when no other write can come between. Where it returns false
    ///   nothing is written.
    func write(
        _ write: Write, _ type: String, _ id: String, _ fields: Fields, _ expires: Expiry,
        _ isWanted: () throws(ModelcastError) -> Bool = { true }
    ) throws(ModelcastError) -> PublishOutcome {
        let idHash = Fingerprint.fnv(id.utf8.span)
        let (encoded, now) = try cache.fetching(type, idHash: idHash) { () throws(ModelcastError) in
            // The fields are lent: to copy them costs what an update costs in references.
            if expires.isUnchanged { return (try encode(fields), clock.now()) }
            let now = clock.now()
            return (try encode(fields.ending(expires, now: now)), now)
        }
        let (outcome, waker) = try core.withLock { core throws(ModelcastError) -> (PublishOutcome, Waker?) in
            try open(&core)
            guard try isWanted() else { return (.unchanged, nil) }
            do throws(WireError) {
                let (outcome, waker) = try core.perform(now: now, count: 1) { origin throws(WireError) in
                    let outcome = try origin.write(
                        write, type: type, id: id, idHash: idHash, fields: encoded, now: now)
                    return outcome == .unchanged ? nil : outcome
                }
                return (outcome ?? .unchanged, waker)
            } catch {
                throw ModelcastError(error)
            }
        }
        waker?.wake()
        return outcome
    }

    /// Refuses a write where the publisher has stopped, the disk refuses, or the outbox is full.
    ///
    /// The core is not changed. The parameter is inout because the compiler would copy all of a borrowed core.
    func open(_ core: inout PublisherCore) throws(ModelcastError) {
        guard !core.isStopped else {
            throw ModelcastError(.stopped, "the publisher has been stopped; nothing can be published any more")
        }
        if let failure = core.storeFailure { throw Publisher.refusal(failure) }
        guard core.isFull(configuration.outboxByteCount) else { return }
        core.waker?.wake()
        throw Publisher.outboxFull
    }

    func encode(_ fields: Fields) throws(ModelcastError) -> EncodedFields {
        do {
            return try EncodedFields(fields, limits: configuration.limits)
        } catch {
            throw ModelcastError(error)
        }
    }
}
