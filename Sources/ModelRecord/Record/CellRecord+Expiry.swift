extension FieldName {
    /// The field that says when a model ends: whole milliseconds since 1970. The publisher that wrote it deletes the
    /// model then. (Protocol article, "Models that end".)
    public static let expires: FieldName = "$expires"
}

extension CellRecord {
    /// When the model ends, in milliseconds since 1970, by the clock of the publisher that said so; nil where nothing
    /// says that it ends, or says it in another form.
    /// - Complexity: O(*n*) in the number of fields.
    public var expires: UInt64? {
        var cursor = FieldCursor(self)
        return cursor.find(.expires) ? cursor.int.flatMap(Expiration.milliseconds) : nil
    }
}

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

extension Fields {
    /// The value of the field with the model's end; nil where these fields say nothing of it.
    package var expiry: Value? { sizes.mayExpire || nested != nil ? self[FieldName.expires.text] : nil }
}
