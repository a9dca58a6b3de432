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
    /// The rights of tokens to read: grants whose keys are those of `BearerToken`. Nil:
    /// everybody on this machine may read everything, and the console has to be bound to loopback.
    public var tokens: Access?
    /// How many event streams there may be at once. 192 by default: connections remain for other requests.
    public var streamCountMax = 192
    /// About how many bytes of changes are kept for streams that were interrupted, from the first stream on until none
    /// has been there for a minute. 8 MiB by default.
    public var historyByteCount = 8 << 20

    /// A gateway to the copy of a service.
    /// - Parameter tokens: who may read what; nil where everybody on this machine may.
    public init(of subject: ConsoleSubject, tokens: Access? = nil) {
        self.subject = subject
        self.tokens = tokens
    }
}
