/// The ways of keeping models whose memory is measured.
public enum MemoryKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A `ModelCache`.
    case modelcast
    /// A `[String: [String: String]]`.
    case dictionaries
    /// A `[String: Struct]` with a struct of ten strings.
    case structs
}
