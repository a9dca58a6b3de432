import ModelCache
import ModelGrants
import ModelWire

/// The limits of keys that push.
extension RelayMachine {
    /// Holds the batch that was judged last against the limits of the owner's key.
    /// - Returns: what the batch would add to what the key holds.
    /// - Throws: the refusal of a batch past a limit.
    func withinLimits(
        _ topic: Topic, _ payload: [UInt8], of grantee: Grantee, now: Moment
    ) throws(PushRefusal) -> PendingPushes.Creation? {
        let limits = grantee.limits
        var made: PendingPushes.Creation?
        if limits[.ids] != nil || limits[.bytes] != nil, let type = topic.type {
            let amount = replica.decodedCreation(payload.span, type: type, where: grantee.rights.mayBe)
            switch pushAccounts.judge(amount, of: grantee, now: now) {
            case .allowed: made = creation(amount, topic, of: grantee.key)
            case .waits: throw PushRefusal(.busy, "what \(grantee.name) holds here is counted; try again in a second")
            case .refused(let limit):
                let detail = limit == .ids ? "models with something that it wrote" : "bytes of models that it wrote to"
                let advice = "deleted ones count until they are forgotten; raise it in the grants, or wait for that"
                throw PushRefusal(.limit, grantee.message(limit, "\(detail); \(advice)"), by: limit)
            }
        }
        // This check comes last because it counts the stream: a batch that was refused above has begun none.
        let isKnown = !replica.isNewPushed(topic) || pushes.last(of: replica.decodedPlace(on: topic).stream) > 0
        if !isKnown, !pushAccounts.mayBeginStream(of: grantee, now: now, count: { streamCount(of: grantee) }) {
            throw PushRefusal(
                .limit,
                grantee.message(
                    .streams, "streams, each of a type and an origin; push under a name that it has had, or raise it"),
                by: .streams)
        }
        service.accounts.takeUpdates(replica.decodedUpdateCount, of: grantee)
        return made
    }

    private func creation(_ amount: CreatedAmount, _ topic: Topic, of key: String) -> PendingPushes.Creation {
        let place = replica.decodedPlace(on: topic)
        let part = PushedPart(stream: place.stream, sequence: place.sequence, amount: amount)
        return PendingPushes.Creation(key: key, amount: amount, part: replica.decodedIsPart ? part : nil)
    }

    /// Notes a batch that was merged at once, or is held for the rest of its transaction.
    func note(_ creation: PendingPushes.Creation) {
        pushAccounts.add(creation.amount, of: creation.key, isPending: false)
        if let part = creation.part { pushAccounts.add(part, of: creation.key) }
    }

    /// How many streams the owner of a key has begun, with those that wait to be durable.
    private func streamCount(of grantee: Grantee) -> Int {
        let waiting = pushes.streams.filter { stream in
            grantee.rights.mayBe(stream.origin)
                && replica.isNew(StreamKey(origin: stream.origin, topic: stream.topic))
        }
        return replica.pushedStreamCount(where: grantee.rights.mayBe) + waiting.count
    }

    /// Counts on what the owners of keys hold.
    func countModels(now: Moment) {
        guard pushAccounts.isCounting else { return }
        pushAccounts.advance(now: now, isHeld: replica.mayHoldPart) { cache.snapshot() }
    }
}

/// The refusal of a pushed batch.
struct PushRefusal: Error {
    let code: ControlErrorCode
    let message: String
    /// The limit that is reached; nil where the key is only counted.
    let limit: KeyLimit?

    init(_ code: ControlErrorCode, _ message: String, by limit: KeyLimit? = nil) {
        (self.code, self.message, self.limit) = (code, message, limit)
    }
}
