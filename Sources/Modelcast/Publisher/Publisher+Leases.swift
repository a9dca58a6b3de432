public import ModelRecord
public import ModelSync
public import ModelTypes

/// Models that are there as long as this run of the publisher (<doc:Ending>).
extension Publisher {
    /// Merges fields into a model, and leases it: readers everywhere see it while this publisher is heard of.
    ///
    /// ``merge(_:_:_:expires:)`` with `expires: .leased(duration)`, which batches and transactions take as well.
    /// - Parameters:
    ///   - type: the model's type.
    ///   - id: its id.
    ///   - fields: what to set; none leases a model as it is.
    ///   - duration: for how long the publisher may not be heard of, at least two heartbeats.
    /// - Throws: what a merge throws, and code `badInput` for a lease that is too short, or from a publisher that only
    ///   pushes: nobody listens to it.
    @discardableResult
    public func lease(
        _ type: String, _ id: String, _ fields: Fields = [:], for duration: Duration
    ) throws(ModelcastError) -> PublishOutcome {
        try merge(type, id, fields, expires: .leased(duration))
    }

    /// Merges the fields that a model has, and leases it, as ``lease(_:_:_:for:)``.
    @discardableResult
    public func lease<M: Model>(_ model: M, for duration: Duration) throws(ModelcastError) -> PublishOutcome {
        try merge(model, expires: .leased(duration))
    }
}
