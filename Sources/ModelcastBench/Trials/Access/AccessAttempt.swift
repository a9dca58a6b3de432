/// A try of a process to read or write something with its key.
public struct AccessAttempt: Codable, Sendable {
    enum Action: Codable, Sendable {
        /// To ask a publisher for all its models of a type.
        /// - `held`: how many it has.
        case ask(type: String, held: Int)
        /// To subscribe to everything of a publisher.
        /// - `granted`: the type that must come all the same; nil where not even a connection is granted.
        case listen(granted: String?)
        /// To connect to the stream with all types of a publisher, in place of the one with those that the key may
        /// read.
        case join(stream: String)
        /// To push a model to a relay.
        case push(type: String, origin: String)
    }

    let action: Action
    /// The name of the process that is to answer.
    let server: String
    /// The control endpoint of that process.
    let endpoint: String
    /// The grants allow it. Otherwise it must be denied.
    let isGranted: Bool

    /// The try in words, behind the name of the process.
    var text: String {
        switch action {
        case .ask(let type, _): "asks \(server) for the type \(type)"
        case .listen: "listens to everything of \(server)"
        case .join: "joins the stream of all types of \(server)"
        case .push(let type, let origin): "pushes a \(type) to \(server), as \(origin)"
        }
    }
}
