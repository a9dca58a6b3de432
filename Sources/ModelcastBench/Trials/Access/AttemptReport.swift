/// The result of an ``AccessAttempt``, as the process tells it that has tried.
struct AttemptReport: Codable, Sendable {
    enum Outcome: String, Codable, Sendable {
        /// Something was read or written.
        case done
        /// The other side denied it: what it says, or the lack of what it is known to have, shows that.
        case denied
        /// Neither has shown within the time. A server that does not answer denies nothing.
        case unclear
    }

    let outcome: Outcome
    /// The result in words.
    let text: String
    /// The types that were pushed, as the relay must hold them where the push was granted.
    var types: [WorkerReport.TypeState] = []

    init(_ outcome: Outcome, _ text: String) { (self.outcome, self.text) = (outcome, text) }

    /// A denial by the handshake.
    static let notLetIn = AttemptReport(.denied, "not let in, as no grant has its key")
}
