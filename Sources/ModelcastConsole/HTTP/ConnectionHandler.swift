import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells the table what a connection does, and closes one whose reader takes nothing of its answer for long.
///
/// The handler stands behind the decoder, so it sees parts of requests and answers.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    private var number: UInt64?
    private var isBusy = false
    /// A request was ambiguous: what follows on the connection is passed over.
    private var isRefused = false
    /// The next look at whether the reader takes anything, while something waits for it.
    private var look: Scheduled<Void>?
    /// How many bytes waited at the last look.
    private var waitingByteCount = 0

    /// For how long a reader may take nothing of what waits for it.
    private let patience: TimeAmount

    init(_ table: ConnectionTable, patience: Duration) { (self.table, self.patience) = (table, TimeAmount(patience)) }

    func channelActive(context: ChannelHandlerContext) {
        number = table.wait(context.channel, former: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data) {
            if head.isAmbiguous { return refuse(context) }
            // In the middle of the answer to the request before, nobody could tell which answer it is.
            if head.waitsForLeave, !isBusy { giveLeave(context) }
        }
        if !isBusy, let number {
            table.begin(number, context.channel)
            isBusy = true
        }
        context.fireChannelRead(data)
    }

    /// Tells a client that waits for it to send the content of its request. `curl` else waits for a second.
    private func giveLeave(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    /// Answers 400 and ends the connection, on which nobody can tell where the next request begins. While the request
    /// before is being answered, it ends after that answer.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        guard !isBusy else { return }
        let answer = HTTPResponse(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .body(let content): return write(content, context, promise)
        case .end where isBusy:
            isBusy = false
            number = table.wait(context.channel, former: number)
            guard !isRefused else { return end(data, context, promise) }
        case .head, .end: break
        }
        context.write(data, promise: promise)
    }

    /// Writes the end of the last answer of a connection.
    private func end(_ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let (written, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(data, promise: written)
    }

    /// Writes content in slices, so that it is seen whether the reader takes any of it.
    private func write(_ content: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        var rest = content
        repeat {
            let count = min(rest.readableBytes, ConnectionHandler.sliceByteCount)
            guard let slice = rest.readSlice(length: count) else { break }
            let isLast = rest.readableBytes == 0
            let written = isLast ? promise ?? context.eventLoop.makePromise() : context.eventLoop.makePromise()
            let (table, channel) = (table, context.channel)
            table.noteWaiting(count, on: channel)
            written.futureResult.whenComplete { _ in table.noteTaken(count, on: channel) }
            context.write(wrapOutboundOut(.body(slice)), promise: written)
        } while rest.readableBytes > 0
    }

    private static let sliceByteCount = 64 << 10

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            look?.cancel()
            look = nil
        } else if look == nil {
            waitingByteCount = ConnectionHandler.byteCount(waitingIn: context.channel)
            lookLater(context.channel)
        }
        context.fireChannelWritabilityChanged()
    }

    private func lookLater(_ channel: any Channel) {
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        look = channel.eventLoop.scheduleTask(in: patience) {
            // The bytes that wait in the channel become fewer only where the reader takes some: none are added.
            let handler = bound.value
            let byteCount = ConnectionHandler.byteCount(waitingIn: channel)
            guard byteCount < handler.waitingByteCount else { return channel.close(promise: nil) }
            handler.waitingByteCount = byteCount
            handler.lookLater(channel)
        }
    }

    private static func byteCount(waitingIn channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func channelInactive(context: ChannelHandlerContext) {
        look?.cancel()
        if let number { table.end(number) }
        number = nil
        context.fireChannelInactive()
    }
}

extension HTTPRequest {
    /// Others may read the request differently, and take it for one to another host or of another length (RFC 9112, 3.2
    /// and 6.1): it has a second host, or an encoding of the transfer that is not chunks alone.
    fileprivate var isAmbiguous: Bool {
        let encodings = headerFields[values: .transferEncoding].map { $0.lowercased() }
        // The conversion from HTTP/1 has taken out the first host.
        return !headerFields[values: HTTPRequest.host].isEmpty || !(encodings.isEmpty || encodings == ["chunked"])
    }

    /// The client sends no content before it is told to (RFC 9110, 10.1.1).
    fileprivate var waitsForLeave: Bool { headerFields[.expect]?.lowercased() == "100-continue" }

    private static var host: HTTPField.Name { HTTPField.Name("Host")! }
}
