import HummingbirdCore
import NIOCore
import Synchronization

/// A connection that has been accepted and is to be served. One that nobody takes is closed.
///
/// The server drops connections that it has accepted when it has stopped serving, and NIO ends the process where a
/// channel is dropped that was not closed.
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any Channel
    private let waiting: Mutex<HTTP1Channel.Value?>

    init(_ connection: HTTP1Channel.Value) {
        channel = connection.channel
        waiting = Mutex(connection)
    }

    deinit {
        guard let dropped = take() else { return }
        Task { try? await dropped.executeThenClose { _, _ in } }
    }

    /// Takes the connection, to serve it; nil where it has been taken.
    func take() -> HTTP1Channel.Value? { waiting.withLock { $0.take() } }
}
