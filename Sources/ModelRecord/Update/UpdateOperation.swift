/// The kind of an update, by its effect on a model (protocol article, section 2).
public enum UpdateOperation: UInt64, Sendable {
    /// Sets the fields that it carries, says nothing of the others.
    case merge = 0
    /// Sets the fields that it carries and drops all others that are older.
    case replace = 1
    /// Drops all fields that are older.
    case delete = 2
}
