import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import ZeroMQ

/// What a publisher's callers and its socket thread share, behind one lock: the origin, and when to wake the thread.
struct PublisherCore {
    var origin: Origin
    /// Set while the socket thread runs.
    var waker: Waker?
    /// Writes since the last flush: many of them mean load.
    var writesSinceFlush = 0
    /// Until when batches are held back to grow, on the clock of `Moment.uptimeMicroseconds`; nil when idle.
    var holdUntil: UInt64?
    var isStopped = false
    /// What happened: bound endpoints, or the failure to bind.
    var bound: Result<SenderEndpoints, ModelcastError>?
    /// Who waits for ``bound``.
    var boundWaiters: [CheckedContinuation<SenderEndpoints, any Error>] = []

    /// So many writes within one ``PublisherConfiguration/batchDelay`` are load, and batches are held back.
    static let loadWriteCount = 64

    init(origin: Origin) { self.origin = origin }

    /// Whom to wake after a write: the thread, unless it will come by itself soon enough.
    func waiterAfterWrite() -> Waker? {
        guard holdUntil != nil, !origin.hasActions else { return waker }
        return nil
    }

    /// What the socket thread has to do now, and by when it wants to come again.
    mutating func takeWork(now: Moment, batchDelay: Duration) -> (actions: [OriginAction], wakeAt: UInt64) {
        let time = now.uptimeMicroseconds
        if let until = holdUntil, time < until {
            // Held back: only what is full goes.
        } else {
            let isLoaded = writesSinceFlush >= PublisherCore.loadWriteCount
            origin.flush()
            writesSinceFlush = 0
            holdUntil = isLoaded ? time + batchDelay.wholeMicroseconds : nil
        }
        origin.tick(now: now)
        let heartbeat = origin.nextDeadline ?? time
        return (origin.takeActions(), min(heartbeat, holdUntil ?? heartbeat))
    }
}
