import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The open connections of a console. Where one more comes than there is room for, the one that has waited longest for
/// a request is closed: whoever opens many and says nothing keeps nobody else out.
final class ConnectionTable: Sendable {
    private struct State {
        /// The connections that wait for a request, by number: the least has waited longest.
        var waiting: [UInt64: any Channel] = [:]
        /// The connections that are being answered.
        var busy: [UInt64: any Channel] = [:]
        var next: UInt64 = 0
        var isClosing = false
    }

    private let state = Mutex(State())
    private let countMax: Int

    init(countMax: Int) { self.countMax = countMax }

    /// Takes note that a connection waits for a request from now on.
    /// - Parameter former: its number until now; nil for one that is new.
    /// - Returns: its number.
    fileprivate func wait(_ channel: any Channel, former: UInt64?) -> UInt64 {
        let (number, oldest) = state.withLock { state in
            let number = state.next
            state.next += 1
            if let former { state.busy[former] = nil }
            state.waiting[number] = channel
            let isFull = state.isClosing || state.waiting.count + state.busy.count > countMax
            return (number, isFull ? state.waiting.keys.min().flatMap { state.waiting.removeValue(forKey: $0) } : nil)
        }
        oldest?.close(promise: nil)
        return number
    }

    /// Takes note that a request has come.
    fileprivate func begin(_ number: UInt64, _ channel: any Channel) {
        state.withLock { state in
            state.waiting[number] = nil
            state.busy[number] = channel
        }
    }

    /// Takes note that the connection is closed.
    fileprivate func end(_ number: UInt64) {
        state.withLock { state in
            state.waiting[number] = nil
            state.busy[number] = nil
        }
    }

    /// Closes the connections that wait, and all that come from now on.
    /// - Returns: whether none is being answered.
    func closeWaiting() -> Bool {
        let (waiting, isDone) = state.withLock { state in
            defer { state.waiting = [:] }
            state.isClosing = true
            return (state.waiting.values, state.busy.isEmpty)
        }
        for channel in waiting { channel.close(promise: nil) }
        return isDone
    }

    /// Closes the connections that are being answered, too.
    func closeAll() {
        for channel in state.withLock({ $0.busy.values }) { channel.close(promise: nil) }
    }
}

/// Tells the table what a connection does, and closes one whose reader takes nothing of its answer for long.
///
/// It stands behind the decoder, so it sees parts of requests and answers.
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
        if case .head(let head) = unwrapInboundIn(data), head.isAmbiguous { return refuse(context) }
        if !isBusy, let number {
            table.begin(number, context.channel)
            isBusy = true
        }
        context.fireChannelRead(data)
    }

    /// Answers 400 and ends the connection, on which nobody can tell where the next request begins.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        let answer = HTTPResponse(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), isBusy {
            isBusy = false
            number = table.wait(context.channel, former: number)
        }
        context.write(data, promise: promise)
    }

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
            // What waits in the channel only becomes less where the reader takes it: nothing is added meanwhile.
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

    private static var host: HTTPField.Name { HTTPField.Name("Host")! }
}
