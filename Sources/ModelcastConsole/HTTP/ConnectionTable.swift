import NIOCore
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

/// Tells the table what a connection does: it stands behind the decoder, so what it reads are parts of requests.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    private let table: ConnectionTable
    private var number: UInt64?
    private var isBusy = false

    init(_ table: ConnectionTable) { self.table = table }

    func channelActive(context: ChannelHandlerContext) {
        number = table.wait(context.channel, former: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isBusy, let number {
            table.begin(number, context.channel)
            isBusy = true
        }
        context.fireChannelRead(data)
    }

    func flush(context: ChannelHandlerContext) {
        // An answer has been written; the rest of its request, if there is one, is no request of its own.
        if isBusy {
            isBusy = false
            number = table.wait(context.channel, former: number)
        }
        context.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let number { table.end(number) }
        number = nil
        context.fireChannelInactive()
    }
}
