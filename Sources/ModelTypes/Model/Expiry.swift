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
/// the model is told so, with the reason ``ModelCache/ChangeReason/expired``. A later write with another end moves it.
public struct Expiry: Hashable, Sendable {
    private enum Kind: Hashable {
        case unchanged, never
        case after(Duration)
        case at(milliseconds: UInt64)
    }

    private let kind: Kind

    /// Nothing is said: a merge leaves the end as it is, and a model that is assigned or replaced has none.
    public static let unchanged = Expiry(kind: .unchanged)
    /// The model does not end by itself, whatever was said before.
    public static let never = Expiry(kind: .never)

    /// The model ends so long after the write. Without time left it ends at once.
    public static func after(_ duration: Duration) -> Expiry { Expiry(kind: .after(duration)) }

    /// The model ends at this time of the publisher's wall clock. One that has passed ends it at once.
    public static func at(_ date: Date) -> Expiry {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // A date may hold any number. What is none has passed.
        return Expiry(kind: .at(milliseconds: milliseconds > 0 ? UInt64(exactly: milliseconds) ?? .max : 0))
    }

    /// Nothing is said.
    package var isUnchanged: Bool { if case .unchanged = kind { true } else { false } }

    /// The value of the field ``FieldName/expires`` in the write; nil where it says nothing.
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    package func value(now: UInt64) -> Value? {
        switch kind {
        case .unchanged: return nil
        case .never: return .undefined
        case .after(let duration):
            let (seconds, attoseconds) = max(duration, .zero).components
            // Longer than any clock counts, and far from the limits of integers.
            let left = UInt64(min(seconds, Int64.max / 4000)) * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
            return .int(Int64(clamping: now &+ left))
        case .at(let milliseconds):
            return .int(max(Int64(clamping: milliseconds), Expiration.millisecondsMin))
        }
    }
}
