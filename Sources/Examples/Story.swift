import Modelcast

/// An example of two processes: what each of them does.
protocol Story {
    static var name: String { get }
    /// The process that publishes.
    static func write(_ publisher: Publisher, _ reader: OtherProcess) async throws
    /// The settings of the process that reads, where they are others than usual.
    static func prepare(_ configuration: inout SubscriberConfiguration)
    /// The process that reads. Each line that it says is one that the other waits for.
    static func read(_ subscriber: Subscriber, _ say: @escaping @Sendable (String) -> Void) async throws
}

extension Story {
    static func prepare(_ configuration: inout SubscriberConfiguration) {}
}

/// An example of several processes, which come and go.
protocol Play: SendableMetatype {
    static var name: String { get }
    /// The first process, which starts the others, and does to them what happens to processes.
    static func lead(_ stage: Stage) async throws
    /// The part of another process. The publisher, relay or subscriber that it makes runs until the process is told to
    /// end.
    /// - Parameters:
    ///   - role: which part it plays.
    ///   - arguments: a name, and the endpoints to listen to.
    static func act(_ role: String, _ arguments: [String], _ stage: Stage) async throws
}
