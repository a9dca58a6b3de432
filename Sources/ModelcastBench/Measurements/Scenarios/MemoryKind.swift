/// How models are kept whose memory is measured.
public enum MemoryKind: String, Codable, Hashable, Sendable, CaseIterable {
    case modelcast
    /// `[String: [String: String]]`.
    case dictionaries
    /// `[String: Struct]`, a struct of ten strings.
    case structs
}
