extension FieldName {
    /// The field that says when a model ends: whole milliseconds since 1970. The publisher that wrote it deletes the
    /// model then. (Protocol article, "Models that end".)
    public static let expires: FieldName = "$expires"
}

extension CellRecord {
    /// When the model ends, in milliseconds since 1970, by the clock of the publisher that said so; nil where nothing
    /// says that it ends, or says it in another form.
    /// - Complexity: O(*n*) in the number of fields.
    public var expires: UInt64? { self[FieldName.expires.text].flatMap(Expiration.milliseconds) }
}

/// The rules of the field ``FieldName/expires``.
package enum Expiration {
    /// The time that a value of the field tells; nil for a value of another form.
    package static func milliseconds(_ value: Value) -> UInt64? {
        guard case .int(let milliseconds) = value, milliseconds >= millisecondsMin else { return nil }
        return UInt64(milliseconds)
    }

    /// The least value: lesser ones are seconds, or a mistake. March 1973.
    package static let millisecondsMin: Int64 = 100_000_000_000
}

extension Fields {
    /// What these fields say of the model's end: nil where they say nothing.
    package var expiry: Value? { sizes.mayExpire || nested != nil ? self[FieldName.expires.text] : nil }
}
