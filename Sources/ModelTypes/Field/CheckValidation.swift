/// Whatever a function takes.
public struct CheckValidation<Value: Hashable & Sendable>: FieldValidation {
    public let wanted: String
    let check: @Sendable (Value) -> Bool

    /// - Parameter wanted: what is wanted, for a reader: it stands behind "is not".
    public init(_ wanted: String, _ check: @escaping @Sendable (Value) -> Bool) {
        (self.wanted, self.check) = (wanted, check)
    }

    public func accepts(_ value: Value) -> Bool { check(value) }
}
