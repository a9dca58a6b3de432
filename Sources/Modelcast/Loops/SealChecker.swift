import Dispatch
import Foundation
import ModelSigning
import ModelSync
import ModelWire
import Synchronization

/// A thread that looks at the seals of batches beside the socket thread of a subscriber or relay, which goes on merging
/// meanwhile. A signature takes as long as merging a hundred updates.
///
/// Messages of one sender come back in their order. Senders take turns, so one that sends what nobody has signed costs
/// the others nothing but its turn; and of each only so much is taken in at a time.
final class SealChecker: Sendable {
    /// A message of a stream on its way through the checker.
    struct Message {
        let sender: SenderID
        /// The number of the sender's connection, so that what came over an earlier one is told apart.
        let connection: Int
        let topic: [UInt8]
        let payload: [UInt8]
        /// The answer; nil for what need not be sealed.
        var verdict: SealVerdict?
    }

    private struct State {
        var rules: SignatureRules
        /// The messages that wait, of each sender.
        var waiting: [[Message]] = []
        /// The sender whose turn is next.
        var turn = 0
        var finished: [Message] = []
        var isStopped = false
        /// The thread waits for work.
        var isIdle = true
        /// The socket thread waits for something to be finished.
        var isAwaited = false

        init(rules: SignatureRules) { self.rules = rules }

        /// The next message, of the sender whose turn it is.
        mutating func takeNext() -> Message? {
            for step in waiting.indices {
                let index = (turn + step) % waiting.count
                guard !waiting[index].isEmpty else { continue }
                turn = index + 1
                return waiting[index].removeFirst()
            }
            return nil
        }
    }

    private let state: Mutex<State>
    private let work = DispatchSemaphore(value: 0)
    private let finish = DispatchSemaphore(value: 0)
    private let wake: @Sendable () -> Void

    /// How long the socket thread waits for a sender of which enough is on its way.
    private static let patience = DispatchTimeInterval.milliseconds(2)

    /// Starts the thread.
    /// - Parameter wake: ends the wait of the socket thread, where something is finished.
    init(_ rules: SignatureRules, wake: @escaping @Sendable () -> Void) {
        state = Mutex(State(rules: rules))
        self.wake = wake
        let thread = Thread { [self] in run() }
        thread.name = "modelcast-seals"
        thread.start()
    }

    /// Lets other rules hold for what is looked at from now on.
    func replace(by rules: SignatureRules) { state.withLock { $0.rules = rules } }

    /// Takes a message in.
    func add(_ message: Message) {
        let isIdle = state.withLock { state in
            let index = message.sender.index
            while state.waiting.count <= index { state.waiting.append([]) }
            state.waiting[index].append(message)
            defer { state.isIdle = false }
            return state.isIdle
        }
        if isIdle { work.signal() }
    }

    /// The messages that have been looked at, of each sender in their order.
    func takeFinished() -> [Message] {
        state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Waits for a moment until something is finished.
    func waitForFinished() {
        let mustWait = state.withLock { state in
            state.isAwaited = state.finished.isEmpty
            return state.isAwaited
        }
        if mustWait { _ = finish.wait(timeout: .now() + SealChecker.patience) }
    }

    /// Ends the thread. What waits is not looked at any more.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.waiting = []
        }
        work.signal()
    }

    // MARK: On the thread

    private func run() {
        var verifier = SealVerifier()
        var keys = KeysOfStream()
        while let (message, rules) = next() {
            let verdict = SealChecker.verdict(on: message, rules, &keys, &verifier)
            let (isFirst, isAwaited) = state.withLock { state in
                var message = message
                message.verdict = verdict
                state.finished.append(message)
                defer { state.isAwaited = false }
                return (state.finished.count == 1, state.isAwaited)
            }
            if isAwaited { finish.signal() }
            if isFirst { wake() }
        }
    }

    /// The next message, with the rules for it; nil at the end.
    private func next() -> (Message, SignatureRules)? {
        while true {
            let (taken, rules, isStopped) = state.withLock { state in
                let taken = state.takeNext()
                state.isIdle = taken == nil
                return (taken, state.rules, state.isStopped)
            }
            if isStopped { return nil }
            if let taken { return (taken, rules) }
            work.wait()
        }
    }

    /// The keys of the stream that was looked at last.
    private struct KeysOfStream {
        private var last: (rules: SignatureRules, topic: [UInt8], origin: String, keys: [VerifyingKey]?)?

        /// Nil for a topic that need not be signed.
        mutating func find(_ topic: [UInt8], _ origin: String, in rules: SignatureRules) -> [VerifyingKey]? {
            if let last, last.topic == topic, last.origin == origin, last.rules == rules { return last.keys }
            let type = Topic(bytes: topic).type
            let keys = type.flatMap { rules.requiresSignature(of: $0) ? rules.keys(of: $0, as: origin) : nil }
            last = (rules, topic, origin, keys)
            return keys
        }
    }

    private static func verdict(
        on message: Message, _ rules: SignatureRules, _ keys: inout KeysOfStream, _ verifier: inout SealVerifier
    ) -> SealVerdict? {
        guard let batch = BatchIdentity(of: message.payload.span),
            let keys = keys.find(message.topic, batch.origin, in: rules)
        else { return nil }
        return verifier.verdict(topic: message.topic.span, frame: message.payload.span, keys: keys)
    }
}
