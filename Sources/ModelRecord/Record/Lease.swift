/// The lease of a model: it is there as long as its publisher is.
public struct Lease: Hashable, Sendable {
    /// For how many milliseconds the publisher may be silent.
    public let milliseconds: UInt64
    /// The write that leased the model: by which publisher, and when.
    public let version: Version

    /// The longest time that a lease may have, a year: what is longer is a mistake.
    package static let millisecondsMax: Int64 = 366 * 24 * 3600 * 1000

    /// The time that a value of the field tells; nil for a value of another form.
    package static func milliseconds(_ value: Value) -> UInt64? {
        if case .int(let number) = value { milliseconds(number) } else { nil }
    }

    static func milliseconds(_ number: Int64) -> UInt64? {
        (1...millisecondsMax).contains(number) ? UInt64(number) : nil
    }
}
