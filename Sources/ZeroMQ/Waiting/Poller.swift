internal import CLibZMQ

/// Waits for events of the sockets of one thread, and for a wake from other threads.
///
///     var poller = try Poller()
///     let stream = poller.add(socket)
///     while running {
///         let result = try poller.wait(timeout: .milliseconds(500))
///         if result.isWoken { takeWork() }
///         if poller.isReadable(stream) {
///             while try socket.receive(into: &message) { … }
///         }
///     }
///
/// - A poller belongs to the thread of its sockets. Like them it cannot be used from a task.
/// - A socket that is closed leaves the poller by itself: its token is then never ready again.
/// - Read a ready socket until it is empty, or bound the work and wait again: messages that are left make the next wait
///   return at once, without sleeping.
/// - A socket that was read until it was empty, and was not used since, costs the next wait nothing.
/// - Waiting allocates nothing.
@safe
public struct Poller: ~Copyable {
    /// Names a socket of one poller.
    public struct Token: Hashable, Sendable {
        fileprivate let slot: Int
        fileprivate let generation: Int
    }

    /// Why a wait ended. Where it was not woken and nothing is ready, the time was over.
    public struct PollResult: Hashable, Sendable {
        /// The number of sockets that are ready; ask ``Poller/readiness(of:)`` which.
        public let readyCount: Int
        /// Whether ``Waker/wake()`` was called since the last wait that reported a wake.
        public let isWoken: Bool

        package init(readyCount: Int, isWoken: Bool) {
            self.readyCount = readyCount
            self.isWoken = isWoken
        }
    }

    /// A watched socket: one of this thread, or one that threads share.
    private enum Watched {
        case own(SocketHandle)
        case shared(SharedSocket)

        var isOpen: Bool {
            switch self {
            case .own(let handle): handle.isOpen
            case .shared: true
            }
        }

        func events() throws(ZeroMQError) -> Socket.Events {
            switch self {
            case .own(let handle): try handle.events()
            case .shared(let socket): try socket.events()
            }
        }

        var isKnownEmpty: Bool {
            switch self {
            case .own(let handle): handle.isKnownEmpty
            case .shared(let socket): socket.isKnownEmpty
            }
        }
    }

    private struct Slot {
        var watched: Watched?
        var interest: Socket.Events = []
        var ready: Socket.Events = []
        /// The last refresh did not look at the socket, as its descriptor signals when something comes.
        var isPassedOver = false
        var generation = 0
    }

    /// Ends a wait from any thread.
    public let waker: Waker

    /// How many looks at sockets there were, each of which is a system call. For tests.
    package private(set) var lookCount = 0

    private var slots: [Slot] = []
    /// The descriptor of the waker, then one for each slot. The system skips a negative descriptor.
    private var descriptors: [pollfd]

    /// Makes a poller without sockets.
    ///
    /// - Throws: ``ZeroMQError/Code/tooManyOpenFiles``.
    public init() throws(ZeroMQError) {
        waker = try Waker()
        descriptors = [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// Adds a socket, which may be in several pollers of its thread.
    ///
    /// - Throws: when the socket does not tell its descriptor, which only a terminated context causes.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public mutating func add(
        _ socket: borrowing Socket, for interest: Socket.Events = .readable
    ) throws(ZeroMQError) -> Token {
        let descriptor = try socket.get(.fileDescriptor)
        return add(.own(socket.handle), descriptor, interest)
    }

    /// Adds a socket that other threads use, too. ``SharedSocket`` says what these threads have to do for the poller.
    @available(*, noasync, message: "waiting blocks the thread: use a thread of your own, never a task's")
    public mutating func add(_ socket: SharedSocket, for interest: Socket.Events = .readable) -> Token {
        add(.shared(socket), socket.descriptor, interest)
    }

    private mutating func add(_ watched: Watched, _ descriptor: CInt, _ interest: Socket.Events) -> Token {
        let slot = slots.firstIndex { $0.watched == nil } ?? slots.endIndex
        if slot == slots.endIndex {
            slots.append(Slot())
            descriptors.append(pollfd(fd: -1, events: Int16(POLLIN), revents: 0))
        }
        slots[slot].watched = watched
        slots[slot].interest = interest
        descriptors[slot + 1].fd = descriptor
        return Token(slot: slot, generation: slots[slot].generation)
    }

    /// Changes the events that a socket is watched for. Does nothing when the socket has left the poller.
    public mutating func setInterest(_ interest: Socket.Events, of token: Token) {
        guard contains(token) else { return }
        slots[token.slot].interest = interest
    }

    /// Removes a socket. Does nothing when the socket has left the poller.
    public mutating func remove(_ token: Token) {
        guard contains(token) else { return }
        vacate(token.slot)
    }

    /// The watched events that a socket was ready for when the last wait ended.
    public func readiness(of token: Token) -> Socket.Events {
        contains(token) ? slots[token.slot].ready : []
    }

    /// Whether a socket had a message to receive when the last wait ended.
    public func isReadable(_ token: Token) -> Bool {
        readiness(of: token).contains(.readable)
    }

    /// Whether a socket could send when the last wait ended.
    public func isWritable(_ token: Token) -> Bool {
        readiness(of: token).contains(.writable)
    }

    /// Waits until a socket is ready, the waker is called, or the time is over.
    ///
    /// - Parameter timeout: nil waits for ever; zero or less only looks.
    /// - Throws: ``ZeroMQError/Code/terminated``. A signal does not end the wait.
    /// - Complexity: O(*sockets*), and a system call for each socket that was used since it was found empty.
    @available(*, noasync, message: "waiting blocks the thread: use a thread of your own, never a task's")
    public mutating func wait(timeout: Duration?) throws(ZeroMQError) -> PollResult {
        let readyCount = try refresh(signalledOnly: false)
        let mayWait = timeout.map { $0 > .zero } ?? true
        if readyCount > 0 || !mayWait || !waker.prepareToSleep() {
            let isWoken = waker.takeWake()
            return PollResult(readyCount: try readyCount + lookAtPassedOver(), isWoken: isWoken)
        }
        let deadline = timeout.map { ContinuousClock.now + $0 }
        var remaining = timeout
        while true {
            let result = unsafe clibzmq_wait(&descriptors, descriptors.count, remaining.map(\.nanoseconds) ?? -1)
            let polled = try settle(result)
            if polled.readyCount > 0 || polled.isWoken { return polled }
            if let deadline {
                let now = ContinuousClock.now
                remaining = deadline - now
                if now >= deadline { return polled }
            }
            // A signal, or a command that makes no socket ready: sleep again.
            if !waker.prepareToSleep() { return PollResult(readyCount: 0, isWoken: waker.takeWake()) }
        }
    }

    /// Ends a sleep: takes a wake, and looks at the sockets that have signalled.
    private mutating func settle(_ result: CInt) throws(ZeroMQError) -> PollResult {
        if result > 0, descriptors[0].revents != 0 { waker.drain() }
        let isWoken = waker.takeWake()
        if result < 0, result != -EINTR { throw failure(result, "ppoll") }
        return PollResult(readyCount: result > 0 ? try refresh(signalledOnly: true) : 0, isWoken: isWoken)
    }

    /// Looks at the sockets and counts the ready ones. After a sleep it looks only at those whose descriptor has
    /// signalled, as the others cannot have changed. A look is a system call. So a socket is left out where the last
    /// call on it found nothing to receive: a later message signals.
    private mutating func refresh(signalledOnly: Bool) throws(ZeroMQError) -> Int {
        var readyCount = 0
        for index in slots.indices {
            guard let watched = slots[index].watched else { continue }
            guard watched.isOpen else {
                vacate(index)
                continue
            }
            slots[index].ready = []
            slots[index].isPassedOver =
                !signalledOnly && slots[index].interest == .readable && watched.isKnownEmpty
            if slots[index].isPassedOver || (signalledOnly && descriptors[index + 1].revents == 0) { continue }
            if try look(at: index, watched) { readyCount += 1 }
        }
        return readyCount
    }

    /// Looks at the passed-over sockets that have signalled. For a wait that does not sleep; one system call asks all
    /// of their descriptors.
    /// - Returns: how many of them are ready.
    private mutating func lookAtPassedOver() throws(ZeroMQError) -> Int {
        guard slots.contains(where: \.isPassedOver) else { return 0 }
        let result = unsafe clibzmq_wait(&descriptors, descriptors.count, 0)
        if result < 0, result != -EINTR { throw failure(result, "ppoll") }
        guard result > 0 else { return 0 }
        var readyCount = 0
        for index in slots.indices where slots[index].isPassedOver && descriptors[index + 1].revents != 0 {
            if let watched = slots[index].watched, try look(at: index, watched) { readyCount += 1 }
        }
        return readyCount
    }

    /// Asks a socket for its events.
    /// - Returns: whether the socket is ready.
    private mutating func look(at index: Int, _ watched: Watched) throws(ZeroMQError) -> Bool {
        lookCount += 1
        slots[index].ready = try watched.events().intersection(slots[index].interest)
        return !slots[index].ready.isEmpty
    }

    private func contains(_ token: Token) -> Bool {
        slots.indices.contains(token.slot) && slots[token.slot].generation == token.generation
            && slots[token.slot].watched != nil
    }

    private mutating func vacate(_ slot: Int) {
        slots[slot] = Slot(generation: slots[slot].generation + 1)
        descriptors[slot + 1].fd = -1
    }
}

@available(*, unavailable, message: "a poller belongs to the thread of its sockets")
extension Poller: Sendable {}

extension Duration {
    /// Whole nanoseconds, rounded up; the greatest number for durations of more than 292 years.
    fileprivate var nanoseconds: Int64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowToo) = product.addingReportingOverflow((attoseconds + 999_999_999) / 1_000_000_000)
        return overflow || overflowToo ? .max : sum
    }
}
