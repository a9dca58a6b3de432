/// An order of the parent to a process of the measurement. Each order has one reply.
public enum BenchOrder: Codable, Sendable {
    // Orders to a publisher.
    case populate
    case generate(count: Int)
    /// - Parameter batch: how many writes a call hands over; 1 for single calls.
    case publish(count: Int, batch: Int, run: Int)
    case publishPaced(rate: Double, seconds: Double)
    /// Publishes in steps of a millisecond.
    /// - Parameters:
    ///   - textBytes: the length of the texts that an update sets.
    ///   - tellsSteps: whether the reply tells when each step was written.
    case publishSteadily(rate: Double, seconds: Double, textBytes: Int, tellsSteps: Bool = false)
    /// Makes the fields of updates and does nothing with them.
    case makeFields(count: Int)
    /// To a pusher: waits until everything is acknowledged.
    case awaitAcknowledged
    // Orders to a subscriber.
    case join
    /// Listens, and fetches models one by one that have not been fetched yet.
    case fetch(count: Int, askers: Int)
    case awaitEnd(run: Int)
    /// Tells how many updates of a run had been applied at which times, and forgets these samples.
    case takeSamples
    /// Observes the type with an observer that measures latencies.
    /// - Parameter inline: the handler runs on the subscriber's own thread, without a queue.
    case observe(inline: Bool)
    case endObserving
    /// Observes the type and 1,000 models from now on. The reply comes when all observers were told the initial state.
    case observeCanonically
    /// Waits until the observers of the canonical load have been told everything.
    case awaitTold
    case read(threads: Int, seconds: Double, decoding: Bool)
    /// Waits until the subscriber is live and has applied everything up to this sequence of the models' topic.
    case awaitApplied(sequence: UInt64)
    /// Observes with a handler that sleeps until ``wakeObserver``.
    case observeAsleep
    case wakeObserver
    /// Tells what the store held when the process started.
    case warmStart
    /// Ends the subscription; with a store, once everything is in the file.
    case leave
    // An order to every process of Modelcast.
    case state
    // Orders to processes of raw libzmq.
    case send(count: Int)
    case sendPaced(rate: Double, seconds: Double)
    case receive(count: Int)
    case receivePaced(count: Int)
    case sendBulk(count: Int, byteCount: Int)
    case receiveBulk(count: Int)
    // An order to publishers, to a subscriber, and to processes of raw libzmq.
    /// Tells the processor time that the process has used so far.
    case processor
    // Orders to a publisher and its subscriber in the mixed scenario.
    case streamEndpoint
    case fillMixed
    case writeMixed(rate: Double, seconds: Double)
    case beginMixed
    case endMixed
    /// The types that a process holds, with their digests.
    case copy
    // Orders to processes of raw libzmq in the scenario with many subscribers.
    case recordFrames(seconds: Double)
    case awaitSubscribers(count: Int)
    /// Stores the frames to send. Decoding this order takes time that must not count as sending.
    case planFrames([SentFrame])
    case sendPlannedFrames
    case receiveFrames(count: Int)
    // An order to a process that measures on its own.
    case measure
}
