package import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.Date
#else
    public import struct Foundation.Date
#endif

/// When a model ends: what a write says of it.
///
/// ```swift
/// try publisher.merge("Session", id, ["user": "42"], expires: .after(.seconds(1800)))
/// ```
/// The publisher that has written an end deletes the model then, for everybody, even after a restart. Whoever observes
/// the model is told so, with the reason `ChangeReason.expired`. A later write with another end moves it.
public struct Expiry: Hashable, Sendable {
    private enum Kind: Hashable {
        case unchanged, never
        case after(Duration)
        case at(milliseconds: UInt64)
        case leased(Duration)
    }

    private let kind: Kind

    /// Nothing is said: a merge leaves the end as it is, and a model that is assigned or replaced has none.
    public static let unchanged = Expiry(kind: .unchanged)
    /// The model does not end by itself and is not leased, whatever was said before.
    public static let never = Expiry(kind: .never)

    /// The model ends so long after the write. Without time left it ends at once.
    public static func after(_ duration: Duration) -> Expiry { Expiry(kind: .after(duration)) }

    /// The model ends at this time of the publisher's wall clock. One that has passed ends it at once.
    public static func at(_ date: Date) -> Expiry {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // A date may hold any number. What is none has passed.
        return Expiry(kind: .at(milliseconds: milliseconds > 0 ? UInt64(exactly: milliseconds) ?? .max : 0))
    }

    /// The model is there as long as this run of its publisher: where nobody has heard of that for so long, readers see
    /// the model no longer, until it is heard of again. At least two heartbeats of the publisher.
    ///
    /// A model that the next run of the publisher does not lease again ends that long after the start of that run.
    public static func leased(_ duration: Duration) -> Expiry { Expiry(kind: .leased(duration)) }

    /// Nothing is said.
    package var isUnchanged: Bool { if case .unchanged = kind { true } else { false } }

    /// The fields of the write by which it says so, with their values.
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    package func fields(now: UInt64) -> [(field: FieldName, value: Value)] {
        switch kind {
        case .unchanged: []
        case .never: [(.expires, .undefined), (.lease, .undefined)]
        case .after(let duration): [(.expires, .int(Int64(clamping: now &+ Expiry.milliseconds(duration))))]
        case .at(let milliseconds):
            [(.expires, .int(max(Int64(clamping: milliseconds), Expiration.millisecondsMin)))]
        case .leased(let duration): [(.lease, .int(Int64(clamping: Expiry.milliseconds(duration))))]
        }
    }

    private static func milliseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = max(duration, .zero).components
        // Longer than any clock counts, and far from the limits of integers.
        return UInt64(min(seconds, Int64.max / 4000)) * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
