import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 as hummingbird serves it, with connections that close where they are dropped (``AcceptedConnection``).
struct ClosingHTTPChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        base.setup(channel: channel, logger: logger).map(AcceptedConnection.init)
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        guard let connection = value.take() else { return }
        await base.handle(value: connection, logger: logger)
    }
}
