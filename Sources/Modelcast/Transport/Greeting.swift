/// The state of the other side of a connection, as it is known since the last look.
enum Greeting: Equatable {
    /// Nothing is known yet.
    case pending
    /// The other side has greeted, and each side trusts the other.
    case succeeded
    /// The other side had greeted, and the connection has broken off. The transport opens another.
    case lost
    /// The greeting failed; the text says why, and what to do.
    case failed(String)
}
