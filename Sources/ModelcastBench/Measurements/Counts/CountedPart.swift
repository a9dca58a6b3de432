/// A part of an update's way that is counted in a process of its own.
public enum CountedPart: String, CaseIterable, Codable, Sendable {
    /// `Publisher.merge`, one call an update; the batches stay in the outbox.
    case publish
    /// `Publisher.batch` with 64 updates a call.
    case publishBatch = "publish-batch"
    /// The publisher's state machine under load: one merge at a time, 256 in a frame.
    case origin
    /// The publisher's state machine with batches of 64 writes.
    case originBatch = "origin-batch"
    /// The publisher's state machine when idle: each merge leaves in a frame of its own.
    case originAlone = "origin-alone"
    /// The subscriber's state machine under load: frames of 256 updates.
    case apply
    /// The subscriber's state machine when idle: frames of one update.
    case applyAlone = "apply-alone"
    /// ``apply`` while the type and 1,000 models are observed, up to the wake-up of the observers' queues.
    case applyObserved = "apply-observed"
    /// ``apply`` while each model has an observer of its own, and nobody observes the type.
    case applyWatched = "apply-watched"
    /// A read of a model at random, as a record.
    case read
    /// A read of a model at random, as a Swift type.
    case typedRead = "typed-read"
    /// A read of a model at random, as a Swift type that is lent and not copied; all its properties are used.
    case lentRead = "lent-read"
    /// A publisher and a subscriber over TCP: each update is published when an observer was told the one before.
    case exchangeAlone = "exchange-alone"
    /// A publisher and a subscriber over TCP: batches of 64, as fast as the publisher takes them.
    case exchange
}
