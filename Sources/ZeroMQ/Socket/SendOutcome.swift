internal import CLibZMQ

/// The outcome of sending a message. Failures are thrown instead.
public enum SendOutcome: Hashable, Sendable {
    /// libzmq has accepted the message. On PUB and XPUB this includes messages that are dropped for peers whose queues
    /// are full (libzmq notes, row 1).
    case sent
    /// No peer, or a full queue: try again when a ``Poller`` says writable, or give up.
    case wouldBlock
    /// A ROUTER with ``SocketOption/routerMandatory`` has no peer of that routing id (any more).
    case unroutable
}
