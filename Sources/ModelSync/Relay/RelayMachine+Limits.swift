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
    ) throws(PushRefusal) -> CreatedAmount {
        let limits = grantee.limits
        if let max = limits[.streams], replica.isNewPushed(topic),
            replica.pushedStreamCount(max, where: grantee.rights.mayBe) >= max
        {
            throw PushRefusal(
                .limit,
                grantee.message(
                    .streams, "streams, each of a type and an origin; push under a name that it has had, or raise it"),
                by: .streams)
        }
        guard limits[.ids] != nil || limits[.bytes] != nil, let type = topic.type else {
            service.accounts.takeUpdates(replica.decodedUpdateCount, of: grantee, now: now)
            return CreatedAmount()
        }
        let amount = replica.decodedCreation(payload.span, type: type, where: grantee.rights.mayBe)
        switch accounts.judge(amount, of: grantee, now: now) {
        case .allowed:
            service.accounts.takeUpdates(replica.decodedUpdateCount, of: grantee, now: now)
            return amount
        case .waits: throw PushRefusal(.busy, "what \(grantee.name) holds here is counted; try again in a second")
        case .refused(let limit):
            let detail = limit == .ids ? "models with something that it wrote" : "bytes of models that it wrote to"
            let advice = "deleted ones count until they are forgotten; raise it in the grants, or wait for that"
            throw PushRefusal(.limit, grantee.message(limit, "\(detail); \(advice)"), by: limit)
        }
    }

    /// Counts on what the owners of keys hold.
    func countModels(now: Moment) {
        guard accounts.isCounting else { return }
        accounts.advance(now: now) { cache.snapshot() }
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
