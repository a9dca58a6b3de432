public import Modelcast

/// The models of a service, for programs of any language: see ``Console``.
///
/// ```swift
/// let console = Console(
///     try ConsoleConfiguration("127.0.0.1:9464"), of: [.subscriber(subscriber)],
///     gateway: ModelGateway(of: .subscriber(subscriber)), logger: logger)
/// ```
public struct ModelGateway: Sendable {
    /// The service whose copy is served.
    public let subject: ConsoleSubject
    /// The rights of tokens to read and to write: grants whose keys are those of `BearerToken`. Nil:
    /// everybody on this machine may read and write everything, and the console has to be bound to loopback.
    public var tokens: Access?
    /// The publisher that writes what requests say; nil where models are only read.
    ///
    /// The served copy has to hear of it, through a relay or directly: else nobody reads here what he has written.
    public var writer: Publisher?
    /// How many event streams there may be at once. 200 by default: connections remain for other requests.
    public var streamCountMax = 200
    /// About how many bytes of changes are kept: for streams that were interrupted, and to tell who wrote what. 8 MiB
    /// by default; 0 keeps none, and then each stream that was interrupted begins anew.
    public var historyByteCount = 8 << 20
    /// After how long without an event a reader is told that its stream lives.
    var heartbeatPause: Duration = .seconds(15)
    /// How long the body of a request may take to come.
    var bodyPatience: Duration = .seconds(25)

    /// A gateway to the copy of a service.
    /// - Parameters:
    ///   - writer: the publisher that writes what requests say; nil where models are only read.
    ///   - tokens: who may read and write what; nil where everybody on this machine may.
    public init(of subject: ConsoleSubject, writer: Publisher? = nil, tokens: Access? = nil) {
        (self.subject, self.writer, self.tokens) = (subject, writer, tokens)
    }
}
