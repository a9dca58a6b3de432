import Dispatch
import Foundation
import ModelCache
import ModelSigning
import ModelSync
import ModelWire

/// A thread that looks at the seals of batches beside the socket thread of a subscriber or relay, which goes on merging
/// meanwhile. A signature takes as long as merging a hundred updates.
///
/// Messages of one sender come back in their order. Each sender has the same share of the thread, counted by what its
/// messages cost, so one that sends what nobody has signed, however large, costs the others no more than that; and of
/// each only so much is taken in at a time.
final class SealChecker: Sendable {
    /// A message of a stream on its way through the checker.
    struct Message {
        let sender: SenderID
        /// The number of the sender's connection, so that what came over an earlier one is told apart.
        let connection: Int
        let topic: [UInt8]
        let payload: [UInt8]
        /// The answer; nil for what need not be sealed, or was looked at under rules that hold no longer.
        var verdict: SealVerdict?

        /// About the nanoseconds that the message costs: a signature, and a hash of its bytes.
        fileprivate var cost: UInt64 { 60_000 + UInt64(payload.count) }
    }

    private struct State {
        var rules: SignatureRules
        /// How often the rules were replaced.
        var version = 0
        /// The messages that wait, of each sender, and what those before them have cost.
        var waiting: [(messages: [Message], spent: UInt64)] = []
        /// The cost account of the sender whose turn was last, as it stood before that turn. A sender that was silent
        /// goes on from there.
        var lastSpent: UInt64 = 0
        var finished: [Message] = []
        var isStopped = false
        /// The thread waits for work.
        var isIdle = true
        /// The socket thread waits for something to be finished.
        var isAwaited = false

        init(rules: SignatureRules) { self.rules = rules }

        mutating func add(_ message: Message) {
            let index = message.sender.index
            while waiting.count <= index { waiting.append(([], 0)) }
            // A sender that was silent has no more in hand than the others.
            if waiting[index].messages.isEmpty { waiting[index].spent = max(waiting[index].spent, lastSpent) }
            waiting[index].messages.append(message)
        }

        /// The next messages, each of the sender that has spent least then. They are taken, and given back, together:
        /// under load that saves a lock and a wake for each.
        mutating func takeNext() -> [Message] {
            var taken: [Message] = []
            var cost: UInt64 = 0
            while cost < SealChecker.turnCostMax, let message = takeOne() {
                cost += message.cost
                taken.append(message)
            }
            return taken
        }

        private mutating func takeOne() -> Message? {
            let index = waiting.indices.filter { !waiting[$0].messages.isEmpty }
                .min { waiting[$0].spent < waiting[$1].spent }
            guard let index else { return nil }
            let message = waiting[index].messages.removeFirst()
            lastSpent = waiting[index].spent
            waiting[index].spent += message.cost
            return message
        }
    }

    private let state: Guarded<State>
    private let work = DispatchSemaphore(value: 0)
    private let finish = DispatchSemaphore(value: 0)
    private let wake: @Sendable () -> Void

    /// How long the socket thread waits for a sender of which enough is on its way.
    private static let patience = DispatchTimeInterval.milliseconds(2)
    /// About the nanoseconds after which messages are given back.
    private static let turnCostMax: UInt64 = 500_000

    /// Starts the thread.
    /// - Parameter wake: ends the wait of the socket thread, where something is finished.
    init(_ rules: SignatureRules, wake: @escaping @Sendable () -> Void) {
        state = Guarded(State(rules: rules))
        self.wake = wake
        let thread = Thread { [self] in run() }
        thread.name = "modelcast-seals"
        thread.start()
    }

    /// Lets other rules hold for what is looked at from now on.
    func replace(by rules: SignatureRules) {
        state.withLock { state in
            state.rules = rules
            state.version += 1
        }
    }

    /// Takes a message in.
    func add(_ message: Message) {
        let isIdle = state.withLock { state in
            state.add(message)
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
        while let (taken, rules, version) = next() {
            var messages = taken
            for index in messages.indices {
                messages[index].verdict = SealChecker.verdict(on: messages[index], rules, &keys, &verifier)
            }
            let (isFirst, isAwaited) = state.withLock { state in
                // Rules that hold no longer decide nothing.
                if version != state.version { for index in messages.indices { messages[index].verdict = nil } }
                let isFirst = state.finished.isEmpty
                state.finished += messages
                defer { state.isAwaited = false }
                return (isFirst, state.isAwaited)
            }
            if isAwaited { finish.signal() }
            if isFirst { wake() }
        }
    }

    /// The next messages, with the rules for them and their version; nil at the end.
    private func next() -> ([Message], SignatureRules, Int)? {
        while true {
            let (taken, rules, version, isStopped) = state.withLock { state in
                let taken = state.takeNext()
                state.isIdle = taken.isEmpty
                return (taken, state.rules, state.version, state.isStopped)
            }
            if isStopped { return nil }
            if !taken.isEmpty { return (taken, rules, version) }
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
        // A batch whose beginning cannot be read names no origin. An origin that seals writes no such batch, so it
        // counts as unsealed where its topic needs a seal.
        let origin = BatchIdentity(of: message.payload.span)?.origin
        guard let keys = keys.find(message.topic, origin ?? "", in: rules) else { return nil }
        guard origin != nil else { return .unsealed }
        return verifier.verdict(topic: message.topic.span, frame: message.payload.span, keys: keys)
    }
}
