import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire
import ZeroMQ

/// The state that a publisher's callers and its socket thread share, behind one lock: the origin, and when to wake the
/// thread.
struct PublisherCore: ThreadServiceCore {
    var origin: Origin
    /// Set while the socket thread runs.
    var waker: Waker?
    /// Set while the socket thread runs, where batches leave as soon as they are closed: see ``perform(now:count:_:)``.
    var stream: StreamOutlet?
    /// The stream has failed on a writer's thread. The socket thread ends with this error.
    private var streamFailure: ModelcastError?
    /// When open batches leave.
    private var pacing: FlushPacing
    var isStopped = false
    var hasRun = false
    /// How far pushing has come; nil where nothing is pushed.
    var push: PushProgress?
    /// Nil where the publisher has no store.
    var keeper: PublisherKeeper?
    /// Removes stored batches, those that the store held at the start included.
    var pruner = BatchPruner([])
    /// Why writes are refused: the disk does not take what must be on it.
    var storeFailure: StoreError?
    /// How many bytes wait for the disk before they may leave.
    var heldByteCount = 0

    /// There is load, so batches are held back to grow.
    var isHeldBack: Bool { pacing.isHolding }

    /// - Parameter batchDelay: as ``PublisherConfiguration/batchDelay``.
    init(origin: Origin, batchDelay: Duration) {
        self.origin = origin
        pacing = FlushPacing(delay: batchDelay.wholeMicroseconds)
    }

    /// The limits of the outbox are reached, so writes are refused.
    ///
    /// The core is not changed. The function is mutating because the compiler would copy all of a borrowed core.
    mutating func isFull(_ byteCountMax: Int) -> Bool {
        origin.pendingByteCount + heldByteCount >= byteCountMax || push?.isFull ?? false
    }

    /// Does some writes, and sends them at once where nothing else is under way. The writer's own thread holds the lock
    /// already, and waking the socket thread takes longer than sending.
    ///
    /// Under load, and whenever something waits, the socket thread sends, so that a batch carries many writes.
    /// - Returns: the result of `write`, which is nil when nothing was written; and the waker that has to be called.
    mutating func perform<Outcome, Failure: Error>(
        now: Moment, count: Int, _ write: (inout Origin) throws(Failure) -> Outcome?
    ) throws(Failure) -> (Outcome?, Waker?) {
        let mayLeave = isQuiet(now)
        guard let outcome = try write(&origin) else { return (nil, nil) }
        pacing.wrote(count)
        if mayLeave, let stream { return (outcome, send(on: stream, now: now)) }
        // While batches are held back the socket thread comes by itself soon enough.
        return (outcome, isHeldBack && !origin.hasUrgentActions ? nil : waker)
    }

    /// Nothing waits to be sent, nothing is being sent, and the last batch left a little while ago.
    ///
    /// The core is not changed, as in ``isFull(_:)``.
    private mutating func isQuiet(_ now: Moment) -> Bool {
        // The pacing is asked first: under load no reference is counted then.
        guard pacing.isQuiet(now.uptimeMicroseconds), let stream else { return false }
        return !origin.hasActions && !origin.hasOpenBatch && !isStopped && !stream.isBusy
    }

    /// Sends under the lock of the core. Input and output under a lock is an exception, for the sake of the order: a
    /// write on another thread gets its stamp and its sequence under this lock, so its batch cannot overtake this one.
    /// The send does not wait, as a stream drops a message for a peer whose queue is full.
    private mutating func send(on stream: StreamOutlet, now: Moment) -> Waker? {
        // If batches are held back from now on, the socket thread has to be woken to flush them.
        var isToBeWoken = pacing.leftAtOnce(now.uptimeMicroseconds)
        do throws(ModelcastError) {
            try origin.flush { topic, payload throws(ModelcastError) in
                if try stream.publishFromWriter(topic: topic.bytes, payload) { isToBeWoken = true }
            }
        } catch {
            streamFailure = error
            isToBeWoken = true
        }
        return isToBeWoken || origin.hasActions ? waker : nil
    }

    /// Hands the socket thread its work, with the time at which it has to come again.
    mutating func takeWork(now: Moment) -> PublisherWork {
        let time = now.uptimeMicroseconds
        // Before that time only full batches leave.
        if pacing.isDue(time, openSince: origin.openSince) {
            origin.flush()
            pacing.flushed(time)
        }
        origin.tick(now: now)
        let heartbeat = origin.nextDeadline ?? time
        let due = pacing.due(openSince: origin.openSince) ?? heartbeat
        let mayWait = isHeldBack && !isStopped && origin.mayHoldActions(at: time)
        if push != nil, origin.hasActions, !mayWait { push?.isHandedOver = false }
        let actions = mayWait ? [] : origin.takeActions()
        if !actions.isEmpty { stream?.isBusy = true }
        noteForStore(now: now)
        return PublisherWork(
            actions: actions, wakeAt: min(heartbeat, due), isHeldBack: isHeldBack,
            isStopped: isStopped, counters: origin.counters, streamFailure: streamFailure,
            hasAnswers: origin.hasAnswers, incarnation: origin.incarnation)
    }
}

/// The work of the socket thread in one round.
struct PublisherWork: Sendable {
    let actions: [OriginAction]
    /// When the thread has to come again, on the clock of `Moment.uptimeMicroseconds`.
    let wakeAt: UInt64
    /// There is load, so batches are held back to grow.
    let isHeldBack: Bool
    /// The thread has to end.
    let isStopped: Bool
    let counters: Counters
    /// The stream has failed on a writer's thread.
    let streamFailure: ModelcastError?
    /// The origin may have answers for peers, which are made a message at a time.
    let hasAnswers: Bool
    /// The incarnation of the origin.
    let incarnation: UInt64
}
