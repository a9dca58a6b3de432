import Foundation
import ModelCache
import Synchronization
import ZeroMQ

/// Ends the connections to the streams of a sender that send more than subscriptions need, and those that have been
/// silent for long; on a thread of its own.
///
/// A thread that touches an XPUB takes all subscriptions that have come into its tree first, and goes on for as long as
/// more come: until then it does nothing else, so it cannot count them (libzmq notes, row 28). The system counts the
/// bytes of each connection, and one that is shut down brings no more.
final class SubscriptionWatch: Sendable {
    private struct Stream {
        let monitor: SharedMonitor
        let turns: Turns
    }

    private struct State {
        /// The streams by their numbers.
        var streams: [Int: Stream] = [:]
        /// Apart from the streams, of which the thread takes a copy in each round.
        var silent: [Int: SilentConnections] = [:]
        var nextNumber = 0
        /// How many connections were ended since the owner has asked.
        var endedCount = 0
        var isOver = false
    }

    /// The times at which the owner of a stream had nothing more to take from it. Counted by its thread, read by the
    /// watch.
    final class Turns: Sendable {
        private let number = Atomic<UInt64>(0)

        var count: UInt64 { number.load(ordering: .relaxed) }

        func next() { number.wrappingAdd(1, ordering: .relaxed) }
    }

    private let state: Guarded<State>
    private let waker: Waker

    private init(_ waker: Waker) {
        state = Guarded(State())
        self.waker = waker
    }

    /// Begins to watch.
    static func start() throws(ZeroMQError) -> SubscriptionWatch {
        let poller = try Poller()
        let watch = SubscriptionWatch(poller.waker)
        let handed = Guarded<Poller?>(poller)
        let thread = Thread {
            if let poller = handed.withLock({ $0.take() }) { watch.run(poller) }
        }
        thread.name = "modelcast-streams"
        thread.start()
        return watch
    }

    /// Lets the thread end.
    func stop() {
        state.withLock { $0.isOver = true }
        waker.wake()
    }

    /// Watches a stream from now on, and what has happened to it so far.
    /// - Parameter turns: what the owner counts.
    /// - Returns: its number here.
    func add(_ monitor: SharedMonitor, _ turns: Turns) -> Int {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.streams[state.nextNumber] = Stream(monitor: monitor, turns: turns)
            state.silent[state.nextNumber] = SilentConnections()
            return state.nextNumber
        }
        waker.wake()
        return number
    }

    /// Watches a stream no more.
    func remove(_ number: Int) {
        state.withLock { state in
            state.streams[number] = nil
            state.silent[number] = nil
        }
        waker.wake()
    }

    /// Notes that a connection has sent something.
    func spoke(_ connection: Connection, at number: Int) {
        state.withLock { $0.silent[number]?.spoke(connection) }
    }

    /// Ends all connections that have not said anything, as one of them may belong to a key that has lost its rights.
    func cutSilent() {
        state.withLock { state in
            for number in state.silent.keys { state.silent[number]?.cutAll() }
        }
    }

    /// How many connections were ended for what they sent since the last call.
    func takeEndedCount() -> Int {
        state.withLock { state in
            defer { state.endedCount = 0 }
            return state.endedCount
        }
    }

    private func run(_ poller: consuming Poller) {
        var poller = poller
        var tokens: [Int: Poller.Token] = [:]
        var intakes: [Int: SubscriptionIntake] = [:]
        while true {
            let (streams, isOver) = state.withLock { ($0.streams, $0.isOver) }
            guard !isOver else { break }
            for (number, token) in tokens where streams[number] == nil {
                poller.remove(token)
                (tokens[number], intakes[number]) = (nil, nil)
            }
            for (number, stream) in streams where tokens[number] == nil {
                tokens[number] = poller.add(stream.monitor)
                intakes[number] = SubscriptionIntake()
            }
            let now = Clocks.now().uptimeMicroseconds
            let next = intakes.values.lazy.map(\.nextLook).min() ?? .max
            let timeout = next == .max ? nil : Duration.microseconds(next > now ? next - now : 0)
            do { _ = try poller.wait(timeout: timeout) } catch { Thread.sleep(forTimeInterval: 0.05) }
            for (number, stream) in streams { look(stream, number, &intakes[number, default: SubscriptionIntake()]) }
        }
    }

    private func look(_ stream: Stream, _ number: Int, _ intake: inout SubscriptionIntake) {
        let now = Clocks.now().uptimeMicroseconds
        while let event = try? stream.monitor.next() {
            intake.note(event, at: now)
            state.withLock { $0.silent[number]?.note(event, at: now) }
        }
        let ended = intake.look(at: now, turn: stream.turns.count)
        for connection in ended { connection.cut() }
        state.withLock { state in
            state.endedCount += ended.count
            state.silent[number]?.cutExcess(at: now)
        }
    }
}
