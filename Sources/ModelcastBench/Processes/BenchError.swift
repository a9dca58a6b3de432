/// Why a measurement or a trial could not be carried out. The text is for a person.
public struct BenchError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
