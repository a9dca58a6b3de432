/// A validation by a function.
public struct CheckValidation<Value: Hashable & Sendable>: FieldValidation {
    public let wanted: String
    let check: @Sendable (Value) -> Bool

    /// A validation by a function.
    /// - Parameters:
    ///   - wanted: what is wanted, as people read it behind "is not".
    ///   - check: true for a valid value; may be called on any thread.
    public init(_ wanted: String, _ check: @escaping @Sendable (Value) -> Bool) {
        (self.wanted, self.check) = (wanted, check)
    }

    public func accepts(_ value: Value) -> Bool { check(value) }
}
