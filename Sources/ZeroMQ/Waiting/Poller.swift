internal import CLibZMQ

/// Waits on the sockets of one thread, and on a wake from others.
///
///     var poller = try Poller()
///     let stream = poller.add(socket)
///     while running {
///         let outcome = try poller.wait(timeout: .milliseconds(500))
///         if outcome.isWoken { takeWork() }
///         if poller.isReadable(stream) {
///             while try socket.receive(into: &message) { … }
///         }
///     }
///
/// - Belongs to the thread of its sockets; like them it cannot be used from a task.
/// - A socket that is closed leaves the set by itself: its token is then never ready again.
/// - Read a ready socket until it is empty, or bound the work and wait again: what is left makes the next wait
///   return at once, without a system call to sleep.
/// - A socket that was read until it was empty, and not used since, costs the next wait nothing.
/// - Waiting allocates nothing.
@safe
public struct Poller: ~Copyable {
    /// Names a socket of one poller.
    public struct Token: Hashable, Sendable {
        fileprivate let slot: Int
        fileprivate let generation: Int
    }

    /// Why a wait ended. Neither woken nor anything ready: the time is over.
    public struct Outcome: Hashable, Sendable {
        /// The number of sockets that are ready; ask ``Poller/readiness(of:)`` which.
        public let readyCount: Int
        /// Whether ``Waker/wake()`` was called since the last wait that said so.
        public let isWoken: Bool

        package init(readyCount: Int, isWoken: Bool) {
            self.readyCount = readyCount
            self.isWoken = isWoken
        }
    }

    /// What is watched: a socket of this thread, or one that threads share.
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
        /// The last refresh left it out, as nothing is there unless its descriptor tells.
        var isPassedOver = false
        var generation = 0
    }

    /// Ends a wait from any thread.
    public let waker: Waker

    /// How often a socket was looked at, which is a system call each; for tests.
    package private(set) var lookCount = 0

    private var slots: [Slot] = []
    /// First the waker's, then one per slot; a negative descriptor is skipped by the system.
    private var descriptors: [pollfd]

    /// Makes a poller without sockets.
    ///
    /// - Throws: ``ZeroMQError/Code/tooManyOpenFiles``.
    public init() throws(ZeroMQError) {
        waker = try Waker()
        descriptors = [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// Adds a socket; it may be in several pollers of its thread.
    ///
    /// - Throws: when the socket does not tell its descriptor, which only a terminated context causes.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public mutating func add(
        _ socket: borrowing Socket, for interest: Socket.Events = .readable
    ) throws(ZeroMQError) -> Token {
        let descriptor = try socket.get(.fileDescriptor)
        return add(.own(socket.handle), descriptor, interest)
    }

    /// Adds a socket that other threads use, too. See ``SharedSocket`` for what they owe this poller.
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

    /// Changes what a socket is watched for; nothing happens when it has left the set.
    public mutating func setInterest(_ interest: Socket.Events, of token: Token) {
        guard contains(token) else { return }
        slots[token.slot].interest = interest
    }

    /// Takes a socket out; nothing happens when it has left the set.
    public mutating func remove(_ token: Token) {
        guard contains(token) else { return }
        vacate(token.slot)
    }

    /// What a socket was ready for when the last wait ended, of what it is watched for.
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
    /// - Complexity: O(number of sockets), and one look at the mailbox of each that was used since it was found empty.
    @available(*, noasync, message: "waiting blocks the thread: use a thread of your own, never a task's")
    public mutating func wait(timeout: Duration?) throws(ZeroMQError) -> Outcome {
        let readyCount = try refresh(signalledOnly: false)
        let mayWait = timeout.map { $0 > .zero } ?? true
        if readyCount > 0 || !mayWait || !waker.prepareToSleep() {
            let isWoken = waker.takeWake()
            return Outcome(readyCount: try readyCount + lookAtPassedOver(), isWoken: isWoken)
        }
        let deadline = timeout.map { ContinuousClock.now + $0 }
        var remaining = timeout
        while true {
            let result = unsafe clibzmq_wait(&descriptors, descriptors.count, remaining.map(\.nanoseconds) ?? -1)
            let outcome = try settle(result)
            if outcome.readyCount > 0 || outcome.isWoken { return outcome }
            if let deadline {
                let now = ContinuousClock.now
                remaining = deadline - now
                if now >= deadline { return outcome }
            }
            // A signal, or a mailbox with nothing that makes the socket ready: sleep on.
            if !waker.prepareToSleep() { return Outcome(readyCount: 0, isWoken: waker.takeWake()) }
        }
    }

    /// Ends a sleep: the thread is awake in any case, and the sockets that signalled are looked at.
    private mutating func settle(_ result: CInt) throws(ZeroMQError) -> Outcome {
        if result > 0, descriptors[0].revents != 0 { waker.drain() }
        let isWoken = waker.takeWake()
        if result < 0, result != -EINTR { throw failure(result, "ppoll") }
        return Outcome(readyCount: result > 0 ? try refresh(signalledOnly: true) : 0, isWoken: isWoken)
    }

    /// Looks at the sockets, or only at those whose descriptor has just signalled (none of the others can have
    /// changed), and counts the ready ones. A look is a system call, so one is left out where the last call on the
    /// socket has found nothing to receive: what comes later signals.
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

    /// For a wait that does not sleep: those that were passed over are asked all at once whether they have signalled.
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

    /// - Returns: whether it is ready.
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
    /// Whole nanoseconds, rounded up; the greatest number for more than 292 years.
    fileprivate var nanoseconds: Int64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowToo) = product.addingReportingOverflow((attoseconds + 999_999_999) / 1_000_000_000)
        return overflow || overflowToo ? .max : sum
    }
}
