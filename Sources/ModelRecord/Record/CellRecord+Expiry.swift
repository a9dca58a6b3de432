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

extension Fields {
    /// The value of the field with the model's end; nil where these fields say nothing of it.
    package var expiry: Value? { sizes.mayExpire || nested != nil ? self[FieldName.expires.text] : nil }
}
