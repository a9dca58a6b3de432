import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire
import ZeroMQ

/// What a publisher's callers and its socket thread share, behind one lock: the origin, and when to wake the thread.
struct PublisherCore {
    var origin: Origin
    /// Set while the socket thread runs.
    var waker: Waker?
    /// Set while the socket thread runs, where batches leave as soon as they are closed: see ``perform(now:count:_:)``.
    var stream: StreamSocket?
    /// The stream has failed in a writer's hands; the socket thread ends with it.
    private var streamFailure: ZeroMQError?
    /// When open batches leave.
    private var pacing: FlushPacing
    var isStopped = false
    var hasRun = false
    /// How far pushing has come; nil where nothing is pushed.
    var push: PushProgress?
    /// Nil where there is no store.
    var keeper: PublisherKeeper?
    /// The batches that the store held at the start.
    var pruner = BatchPruner([])
    /// Why nothing may be written: the disk does not take what must be on it.
    var storeFailure: StoreError?
    /// What waits for the disk before it may leave.
    var heldByteCount = 0

    /// There is load: batches are held back to grow.
    var isHeldBack: Bool { pacing.isHolding }

    /// - Parameter batchDelay: as ``PublisherConfiguration/batchDelay``.
    init(origin: Origin, batchDelay: Duration) {
        self.origin = origin
        pacing = FlushPacing(delay: batchDelay.wholeMicroseconds)
    }

    /// No more may be written until some of it has left.
    ///
    /// Changes nothing: to only lend the core the compiler would copy all of it.
    mutating func isFull(_ byteCountMax: Int) -> Bool {
        origin.pendingByteCount + heldByteCount >= byteCountMax || push?.isFull ?? false
    }

    /// Does some writes, and sends them at once where nothing else is under way: the writer's own thread is here
    /// already, and to wake the socket thread takes longer than to send.
    ///
    /// Under load, and whenever anything waits, the socket thread sends: a batch then carries many writes.
    /// - Returns: what `write` returns, which is nil when nothing was written; and whom to wake.
    mutating func perform<Outcome, Failure: Error>(
        now: Moment, count: Int, _ write: (inout Origin) throws(Failure) -> Outcome?
    ) throws(Failure) -> (Outcome?, Waker?) {
        let mayLeave = isQuiet(now)
        guard let outcome = try write(&origin) else { return (nil, nil) }
        pacing.wrote(count)
        if mayLeave, let stream { return (outcome, send(on: stream, now: now)) }
        // The thread comes by itself soon enough while batches are held back.
        return (outcome, isHeldBack && !origin.hasActions ? nil : waker)
    }

    /// Nothing waits to be sent, nothing is being sent, and the last batch left a little while ago.
    ///
    /// Changes nothing, as ``isFull(_:)``.
    private mutating func isQuiet(_ now: Moment) -> Bool {
        // In this order: under load no reference is counted.
        guard pacing.isQuiet(now.uptimeMicroseconds), let stream else { return false }
        return !origin.hasActions && !origin.hasOpenBatch && !isStopped && !stream.isBusy
    }

    /// Under the lock: what is written next cannot overtake it.
    private mutating func send(on stream: StreamSocket, now: Moment) -> Waker? {
        origin.flush()
        // The thread flushes what is held back from now on.
        var isToBeWoken = pacing.leftAtOnce(now.uptimeMicroseconds)
        do throws(ZeroMQError) {
            for action in origin.takeActions() {
                guard case .publish(let topic, let payload) = action else {
                    preconditionFailure("a flush of an origin without actions only publishes")
                }
                if try stream.publishFromWriter(topic: topic.bytes, payload) { isToBeWoken = true }
            }
        } catch {
            streamFailure = error
            isToBeWoken = true
        }
        return isToBeWoken ? waker : nil
    }

    /// What the socket thread has to do now, and by when it wants to come again.
    mutating func takeWork(now: Moment) -> PublisherWork {
        let time = now.uptimeMicroseconds
        // Before that only what is full goes.
        if pacing.isDue(time, openSince: origin.openSince) {
            origin.flush()
            pacing.flushed(time)
        }
        origin.tick(now: now)
        let heartbeat = origin.nextDeadline ?? time
        let due = pacing.due(openSince: origin.openSince) ?? heartbeat
        if push != nil, origin.hasActions { push?.isHandedOver = false }
        let actions = origin.takeActions()
        if !actions.isEmpty { stream?.isBusy = true }
        noteForStore(now: now)
        return PublisherWork(
            actions: actions, wakeAt: min(heartbeat, due), isHeldBack: isHeldBack,
            isStopped: isStopped, counters: origin.counters, streamFailure: streamFailure,
            hasAnswers: origin.hasAnswers, incarnation: origin.incarnation)
    }
}

/// What the socket thread has to do now.
struct PublisherWork: Sendable {
    let actions: [OriginAction]
    /// When it has to come again, on the clock of `Moment.uptimeMicroseconds`.
    let wakeAt: UInt64
    /// Batches are held back to grow: there is load.
    let isHeldBack: Bool
    /// It has to end.
    let isStopped: Bool
    let counters: Counters
    /// The stream has failed in a writer's hands.
    let streamFailure: ZeroMQError?
    /// Peers may get messages of answers.
    let hasAnswers: Bool
    /// The origin's start.
    let incarnation: UInt64
}
