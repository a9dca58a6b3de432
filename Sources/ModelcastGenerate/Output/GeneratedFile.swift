/// A file of source text.
public struct GeneratedFile: Hashable, Sendable {
    /// Without a folder.
    public let name: String
    public let text: String
}
