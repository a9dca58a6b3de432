/// What the parent asks of a process of the measurement. Each order has one reply.
public enum BenchOrder: Codable, Sendable {
    // A publisher.
    case populate
    case generate(count: Int)
    /// - Parameter batch: how many writes a call hands over; 1 for single calls.
    case publish(count: Int, batch: Int, run: Int)
    case publishPaced(rate: Double, seconds: Double)
    /// Publishes in steps of a millisecond.
    /// - Parameters:
    ///   - textBytes: how long the texts are that it sets.
    ///   - tellsSteps: what was written when goes with the reply.
    case publishSteadily(rate: Double, seconds: Double, textBytes: Int, tellsSteps: Bool = false)
    /// Makes the fields of updates and does nothing with them.
    case makeFields(count: Int)
    /// Of a pusher: waits until everything is acknowledged.
    case awaitAcknowledged
    // A subscriber.
    case join
    case awaitEnd(run: Int)
    /// Tells when it had applied how many updates of a run, and forgets it.
    case takeSamples
    /// - Parameter inline: without a queue, on the subscriber's own thread.
    case observe(inline: Bool)
    case endObserving
    /// Observes the type and 1,000 models from now on; with the reply all have been told what there is.
    case observeCanonically
    /// Waits until the observers of the canonical load have been told everything.
    case awaitTold
    case read(threads: Int, seconds: Double, decoding: Bool)
    /// Waits until it is live and everything up to this sequence of the models' topic has been applied.
    case awaitApplied(sequence: UInt64)
    /// Observes with a handler that sleeps until it is woken.
    case observeAsleep
    case wakeObserver
    /// Tells what the store held when the process started.
    case warmStart
    /// Ends the subscription; with a store, once all is in the file.
    case leave
    // All of Modelcast.
    case state
    // Raw libzmq.
    case send(count: Int)
    case sendPaced(rate: Double, seconds: Double)
    case receive(count: Int)
    case receivePaced(count: Int)
    case sendBulk(count: Int, byteCount: Int)
    case receiveBulk(count: Int)
    // A publisher, and raw libzmq.
    /// What the process has used so far.
    case processor
    // A publisher and its subscribers while everything happens at once.
    case streamEndpoint
    case fillMixed
    case writeMixed(rate: Double, seconds: Double)
    case beginMixed
    case endMixed
    /// The types that a process holds, with their digests.
    case copy
    // Raw libzmq with many subscribers.
    case recordFrames(seconds: Double)
    case awaitSubscribers(count: Int)
    /// Takes note of frames: to read the order costs time that sending is not to be charged with.
    case planFrames([SentFrame])
    case sendPlannedFrames
    case receiveFrames(count: Int)
    // A process that measures on its own.
    case measure
}
