import Dispatch

/// The queue of change sets before one observer: bounded, in order, filled by the writer and emptied by one consumer.
///
/// When more changes wait than the limit, they are folded to one change per model. So an inbox never holds more than
/// max(4096, 2 × distinct models) changes and those of one more commit.
final class Inbox: Sendable {
    /// The receiver of the change sets.
    enum Consumer: Sendable {
        case queue(DispatchQueue, @Sendable (ChangeSet) -> Void)
        /// A handler that is called on the thread that has committed.
        case inline(@Sendable (ChangeSet) -> Void)
        /// The task that awaits ``next()``.
        case stream
        /// An owner that takes what waits itself, and is called when there is something to take.
        case bell(@Sendable () -> Void)
    }

    fileprivate struct State {
        var initial: InitialState?
        /// The initial state of a single model, then changes.
        var pending = Fifo<ChangeSet>()
        var changeCount = 0
        var limit = Inbox.limitMin
        var seat: Seat?
        var consumer: Consumer?
        /// A call of `drain()` is scheduled or at work, or a bell has rung and not all has been taken since.
        var isDraining = false
        var waiter: Waiter?
        /// No more changes will come: a stream ends after the sets that wait.
        var isFinished = false
    }

    fileprivate typealias Waiter = CheckedContinuation<ChangeSet?, Never>

    static let limitMin = 4096
    /// How many sets one run of `drain()` tells before it lets others use the queue.
    private static let turnMax = 64

    private let state: Guarded<State>
    let interest: Interest
    /// The observer is told, too, which models leave the copy for its limits.
    let tellsEvictions: Bool

    init(_ consumer: Consumer, _ interest: Interest, tellsEvictions: Bool = false) {
        state = Guarded(State(consumer: consumer))
        self.interest = interest
        // A model that is observed by its id does not leave.
        self.tellsEvictions = if case .model = interest { false } else { tellsEvictions }
    }

    /// The inbox's seat among the observers of single models. Under the cut lock.
    var seat: Seat? {
        get { state.withLock { $0.seat } }
        set { state.withLock { $0.seat = newValue } }
    }

    // MARK: Filling

    /// Sets what is told first. Called before any other function, under the cut lock, so no commit can have come here
    /// yet.
    /// - Returns: true when ``wake()`` is to be called.
    func begin(_ initial: InitialState?, _ first: ChangeSet?) -> Bool {
        state.withLock { state in
            state.initial = initial
            if let first {
                state.pending.append(first)
                state.changeCount += first.count
            }
            return state.isToBeWoken()
        }
    }

    /// Adds a set; folds when there are too many changes. Under the writer lock.
    /// - Returns: true when ``wake()`` is to be called, outside all locks.
    func append(_ set: ChangeSet) -> Bool {
        let (isToBeWoken, excess) = state.withLock { state -> (Bool, [ChangeSet]) in
            guard state.consumer != nil else { return (false, []) }
            state.pending.append(set)
            state.changeCount += set.count
            guard state.changeCount > state.limit, state.pending.count > 1 else { return (state.isToBeWoken(), []) }
            state.changeCount = 0
            return (false, state.pending.takeAll())
        }
        // Folded outside the lock. No other thread appends meanwhile. A consumer that comes meanwhile finds nothing,
        // and is woken afterwards.
        return excess.isEmpty ? isToBeWoken : putBack(excess)
    }

    private func putBack(_ excess: [ChangeSet]) -> Bool {
        let initial = excess.prefix { $0.isInitial }
        let folded = Conflation.fold(excess.dropFirst(initial.count))
        return state.withLock { state in
            guard state.consumer != nil else { return false }
            for set in initial { state.pending.append(set) }
            if folded.count > 0 { state.pending.append(folded) }
            state.changeCount = initial.reduce(folded.count) { $0 + $1.count }
            state.limit = max(Inbox.limitMin, 2 * folded.count)
            return state.isToBeWoken()
        }
    }

    /// Wakes the consumer, as there is something to take. Outside all locks.
    func wake() {
        let (consumer, waiter, set) = state.withLock { state -> (Consumer?, Waiter?, ChangeSet?) in
            guard let waiter = state.waiter else { return (state.consumer, nil, nil) }
            // An initial state is taken by the consumer itself, before it waits.
            guard let set = state.takeFirst() else { return (nil, nil, nil) }
            state.waiter = nil
            return (nil, waiter, set)
        }
        if let waiter { waiter.resume(returning: set) }
        switch consumer {
        case .queue(let queue, _): queue.async { self.drain() }
        case .inline: drain()
        case .bell(let bell): bell()
        case .stream, nil: break
        }
    }

    // MARK: Emptying

    /// Calls the handler with one set after the other: on the observation's queue, or on the thread that has committed.
    private func drain() {
        var turns = 0
        while let (set, consumer) = take() {
            switch consumer {
            case .queue(let queue, let handler):
                handler(set)
                turns += 1
                if turns == Inbox.turnMax { return queue.async { self.drain() } }
            case .inline(let handler): handler(set)
            case .stream, .bell: return
            }
        }
    }

    /// The next set for an owner that takes them itself; nil where none waits.
    func takeNow() -> ChangeSet? { take()?.set }

    /// The next set, made of the initial state or taken from what waits, with the consumer that it is for. Only for
    /// the one consumer.
    ///
    /// One access to the state takes a set that waits. The consumer is looked up anew for each set, as the handler may
    /// have cancelled.
    /// - Returns: nil where nothing waits, or the observation has ended; a drain is over then.
    private func take() -> (set: ChangeSet, consumer: Consumer)? {
        let (taken, initial) = state.withLock { state -> ((ChangeSet, Consumer)?, InitialState?) in
            if let initial = exchange(&state.initial, with: nil) { return (nil, initial) }
            return (state.takeNext(), nil)
        }
        guard var initial else { return taken }
        // Made outside the lock, as it reads a snapshot. Meanwhile nobody else takes.
        let chunk = initial.next()
        return state.withLock { state in
            guard let chunk else { return state.takeNext() }
            guard let consumer = state.consumer else { return nil }
            state.initial = initial
            return (chunk, consumer)
        }
    }

    /// The next set for a stream, once there is one; nil after ``close()``, and at the end of a stream that
    /// ``finish()`` has ended.
    func next() async -> ChangeSet? {
        if let (set, _) = take() { return set }
        return await withCheckedContinuation { continuation in
            let (isReady, set) = state.withLock { state -> (Bool, ChangeSet?) in
                precondition(state.waiter == nil, "a change stream has one consumer; two tasks await its next element")
                guard state.consumer != nil else { return (true, nil) }
                if let set = state.takeFirst() { return (true, set) }
                if state.isFinished { return (true, nil) }
                state.waiter = continuation
                return (false, nil)
            }
            if isReady { continuation.resume(returning: set) }
        }
    }

    /// Ends a stream after the sets that wait in it.
    func finish() {
        let waiter = state.withLock { state -> Waiter? in
            state.isFinished = true
            // A waiting consumer has taken everything, unless a wake is on its way to it.
            return state.isEmpty ? exchange(&state.waiter, with: nil) : nil
        }
        waiter?.resume(returning: nil)
    }

    /// Ends the observation: nothing more is told, and the sets that wait are dropped.
    func close() {
        let left = state.withLock { state in
            let left = state
            state = State(seat: left.seat)
            return left
        }
        // The handler and whatever it holds on to are released here, outside the lock.
        left.waiter?.resume(returning: nil)
    }
}

fileprivate extension Inbox.State {
    var isEmpty: Bool { pending.isEmpty && initial == nil }

    /// True when the caller has to wake the consumer: there is something to take, and nobody is on the way to take it.
    mutating func isToBeWoken() -> Bool {
        guard !isEmpty, let consumer else { return false }
        switch consumer {
        case .stream: return waiter != nil
        case .queue, .inline, .bell:
            if isDraining { return false }
            isDraining = true
            return true
        }
    }

    /// Takes the next set that waits; nil where none does, or the observation has ended, and then the drain is over.
    mutating func takeNext() -> (ChangeSet, Inbox.Consumer)? {
        if let consumer, let set = takeFirst() { return (set, consumer) }
        isDraining = false
        return nil
    }

    mutating func takeFirst() -> ChangeSet? {
        let set = pending.removeFirst()
        if let set { changeCount -= set.count }
        return set
    }
}
