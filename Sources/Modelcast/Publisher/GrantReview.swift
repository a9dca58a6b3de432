import ModelSync

/// The grants that hold, as they were last held against what a publisher does: it warns where others would not believe
/// it.
struct GrantReview {
    /// The version of the grants that were looked at last; nil before the first.
    private var version: UInt64?
    /// The types that were looked at under these grants, and when new ones are looked for.
    private var types: Set<String> = []
    private var nextLook: UInt64 = 0

    /// How often new types are held against the grants.
    private static let lookMicroseconds: UInt64 = 250_000

    /// Warns of what is new since the last look: other grants, and types that the publisher has begun to write.
    mutating func review(_ publisher: Publisher, isServing: Bool, now: Moment) {
        guard let security = publisher.configuration.security, let access = security.access else { return }
        let (name, time, isNew) = (publisher.configuration.name, now.uptimeMicroseconds, access.version != version)
        if time >= nextLook || isNew {
            nextLook = time + GrantReview.lookMicroseconds
            if isNew { types = [] }
            let new = publisher.cache.types.filter { !types.contains($0) }
            security.tellOwnTypes(new, as: name, publisher.logger)
            types.formUnion(new)
        }
        guard isNew else { return }
        version = access.version
        if isServing { security.tellOwnGrant(as: name, publisher.logger) }
        security.tellOwnSignature(as: name, publisher.logger)
    }
}
