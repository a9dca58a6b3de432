/// One field of a record: its value and the version that wrote it.
public struct Cell: Hashable, Sendable {
    /// The path of the field.
    public let field: String
    /// The value; ``Value/undefined`` for a field that was made unknown again.
    public let value: Value
    /// The version that wrote the value.
    public let version: Version
}
