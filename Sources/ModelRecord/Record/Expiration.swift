/// The rules of the field ``FieldName/expires``.
package enum Expiration {
    /// The time that a value of the field tells; nil for a value of another form.
    package static func milliseconds(_ value: Value) -> UInt64? {
        if case .int(let number) = value { milliseconds(number) } else { nil }
    }

    /// The time that an integer tells; nil for one that is no time in milliseconds.
    static func milliseconds(_ number: Int64) -> UInt64? { number >= millisecondsMin ? UInt64(number) : nil }

    /// The least value: lesser ones are seconds, or a mistake. March 1973.
    package static let millisecondsMin: Int64 = 100_000_000_000
}
