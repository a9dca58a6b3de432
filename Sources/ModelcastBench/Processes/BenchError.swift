/// Why a measurement or a trial could not be carried out. The text is for a person.
public struct BenchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a sentence.
    public let description: String

    /// An error with this reason.
    public init(_ description: String) { self.description = description }
}
