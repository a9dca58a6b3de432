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
        Expiry(kind: .at(milliseconds: UInt64(clamping: Int64((date.timeIntervalSince1970 * 1000).rounded()))))
    }

    /// Nothing is said.
    package var isUnchanged: Bool { if case .unchanged = kind { true } else { false } }

    /// What the write has to say: nil for nothing.
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    package func value(now: UInt64) -> Value? {
        switch kind {
        case .unchanged: return nil
        case .never: return .undefined
        case .after(let duration):
            let (seconds, attoseconds) = duration.components
            let (whole, isPast) = seconds.multipliedReportingOverflow(by: 1000)
            let left = isPast ? (seconds < 0 ? 0 : Int64.max) : max(whole + attoseconds / 1_000_000_000_000_000, 0)
            return .int(Int64(clamping: now.addingReportingOverflow(UInt64(left)).partialValue))
        case .at(let milliseconds):
            return .int(max(Int64(clamping: milliseconds), Expiration.millisecondsMin))
        }
    }
}
