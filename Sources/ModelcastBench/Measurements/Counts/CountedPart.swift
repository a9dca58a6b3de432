/// A part of an update's way that is counted in a process of its own.
public enum CountedPart: String, CaseIterable, Codable, Sendable {
    /// `Publisher.merge`, one call an update; what leaves stays in the outbox.
    case publish
    /// `Publisher.batch` with 64 updates a call.
    case publishBatch = "publish-batch"
    /// The publisher's state machine under load: a merge at a time, 256 to a frame.
    case origin
    /// The same by batches of 64.
    case originBatch = "origin-batch"
    /// The same when idle: each merge leaves in a frame of its own.
    case originAlone = "origin-alone"
    /// The subscriber's state machine under load: frames of 256 updates.
    case apply
    /// The same when idle: frames of one update.
    case applyAlone = "apply-alone"
    /// ``apply`` while the type and 1,000 models are observed, up to the wake-up of the observers' queues.
    case applyObserved = "apply-observed"
    /// ``apply`` while each model has an observer of its own, and nobody observes the type.
    case applyWatched = "apply-watched"
    /// A read of a model at random, as a record.
    case read
    /// A read of a model at random, as a Swift type.
    case typedRead = "typed-read"
    /// The same without a copy: something of each property, where the model is kept.
    case lentRead = "lent-read"
    /// A publisher and a subscriber over TCP: each update leaves when the one before has been told to an observer.
    case exchangeAlone = "exchange-alone"
    /// The same with batches of 64 as fast as they are taken.
    case exchange
}
