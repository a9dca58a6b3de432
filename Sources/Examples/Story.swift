import Modelcast

/// What happens in the two processes of an example.
protocol Story {
    static var name: String { get }
    /// The process that publishes.
    static func write(_ publisher: Publisher, _ reader: ReaderProcess) async throws
    /// The process that reads. Each line that it says is one that the other waits for.
    static func read(_ subscriber: Subscriber, _ say: @escaping @Sendable (String) -> Void) async throws
}
