import ModelRecord
import ModelSync
import ModelTypes

extension Fields {
    /// These fields, with what a write says of the end of its model.
    func ending(_ expires: Expiry, now: Moment) -> Fields {
        guard let value = expires.value(now: now.wallMilliseconds) else { return self }
        var fields = self
        fields[FieldName.expires.text] = value
        return fields
    }
}
