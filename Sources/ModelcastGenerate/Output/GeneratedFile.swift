/// A file of source text.
public struct GeneratedFile: Hashable, Sendable {
    /// The name of the file, without a folder.
    public let name: String
    /// The source text.
    public let text: String
}
