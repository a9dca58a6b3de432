import NIOCore
import Synchronization

/// The open connections of a console, and what waits on them for its readers.
///
/// Where one more comes than there is room for, the one that has waited longest for a request is closed: whoever opens
/// many and says nothing keeps nobody else out. Where more waits for readers than may, the one that has taken nothing
/// for longest is closed: whoever asks for much and reads nothing takes no memory from the others.
final class ConnectionTable: Sendable {
    private struct State {
        /// The connections that wait for a request, by number: the least has waited longest.
        var waiting: [UInt64: any Channel] = [:]
        /// The connections that are being answered.
        var busy: [UInt64: any Channel] = [:]
        var next: UInt64 = 0
        var isClosing = false
        var answers: [ObjectIdentifier: Answer] = [:]
        /// The bytes of all answers that wait.
        var byteCount = 0
        var cutCount = 0

        mutating func takeNumber() -> UInt64 {
            next += 1
            return next - 1
        }
    }

    /// The part of its answers that a connection's reader has not taken yet.
    private struct Answer {
        let channel: any Channel
        var byteCount = 0
        /// When the reader took something last, or something began to wait: the least number is longest ago.
        var moved: UInt64
        /// The connection is being closed for the others, and counts no more.
        var isCut = false
    }

    private let state = Mutex(State())
    private let countMax: Int
    private let byteCountMax: Int

    /// - Parameters:
    ///   - countMax: how many connections may be open.
    ///   - byteCountMax: how many bytes may wait for readers. One answer may be greater.
    init(countMax: Int, byteCountMax: Int) { (self.countMax, self.byteCountMax) = (countMax, byteCountMax) }

    /// The bytes that wait for readers.
    var waitingByteCount: Int { state.withLock { $0.byteCount } }

    /// How many connections were closed because too much waited.
    var cutCount: Int { state.withLock { $0.cutCount } }

    /// Takes note that a connection waits for a request from now on.
    /// - Parameter former: its number until now; nil for one that is new.
    /// - Returns: its number.
    func wait(_ channel: any Channel, former: UInt64?) -> UInt64 {
        let (number, oldest) = state.withLock { state in
            let number = state.takeNumber()
            if let former { state.busy[former] = nil }
            state.waiting[number] = channel
            let isFull = state.isClosing || state.waiting.count + state.busy.count > countMax
            return (number, isFull ? state.waiting.keys.min().flatMap { state.waiting.removeValue(forKey: $0) } : nil)
        }
        oldest?.close(promise: nil)
        return number
    }

    /// Takes note that a request has come.
    func begin(_ number: UInt64, _ channel: any Channel) {
        state.withLock { state in
            state.waiting[number] = nil
            state.busy[number] = channel
        }
    }

    /// Takes note that the connection is closed.
    func end(_ number: UInt64) {
        state.withLock { state in
            state.waiting[number] = nil
            state.busy[number] = nil
        }
    }

    /// Takes note that so many bytes wait on a connection for its reader.
    func noteWaiting(_ byteCount: Int, on channel: any Channel) {
        let stuck = state.withLock { state -> (any Channel)? in
            let key = ObjectIdentifier(channel)
            var answer = state.answers[key] ?? Answer(channel: channel, moved: state.takeNumber())
            answer.byteCount += byteCount
            state.answers[key] = answer
            guard !answer.isCut else { return nil }
            state.byteCount += byteCount
            let others = state.answers.lazy.filter { !$0.value.isCut }
            guard state.byteCount > byteCountMax, let least = others.min(by: { $0.value.moved < $1.value.moved }),
                state.byteCount > least.value.byteCount
            else { return nil }
            state.answers[least.key]?.isCut = true
            state.byteCount -= least.value.byteCount
            state.cutCount += 1
            return least.value.channel
        }
        stuck?.close(promise: nil)
    }

    /// Takes note that a reader has taken so many bytes, or that they are dropped with their connection.
    func noteTaken(_ byteCount: Int, on channel: any Channel) {
        state.withLock { state in
            let key = ObjectIdentifier(channel)
            guard var answer = state.answers[key] else { return }
            answer.byteCount -= byteCount
            if !answer.isCut { state.byteCount -= byteCount }
            answer.moved = state.takeNumber()
            state.answers[key] = answer.byteCount > 0 ? answer : nil
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
