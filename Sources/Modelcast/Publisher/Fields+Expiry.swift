import ModelRecord
import ModelSync
import ModelTypes

extension Fields {
    /// These fields, with what a write says of the end of its model.
    func ending(_ expires: Expiry, now: Moment) -> Fields {
        var fields = self
        for (field, value) in expires.fields(now: now.wallMilliseconds) { fields[field.text] = value }
        return fields
    }
}
