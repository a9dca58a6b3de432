/// The changes of an observation as an asynchronous sequence of ``ChangeSet``.
///
/// The stream ends when the task that awaits it is cancelled, and when the publisher, relay or subscriber that writes
/// the cache has stopped. It also ends when the service group of the awaiting task shuts down. The observation ends
/// with the stream, and also when the stream and its iterators are released. A slow consumer is told folded changes, so
/// nothing piles up.
/// One consumer: two tasks that await the next element at once are a mistake, and trap.
public struct ChangeStream: AsyncSequence, Sendable {
    private let observation: CacheObservation
    private let inbox: Inbox
    private let guarding: StreamGuard?

    /// Awaits the next set of a stream with the first function. Calls the second function when the stream is to end for
    /// another reason than the cancellation of its task.
    package typealias StreamGuard =
        @Sendable (@Sendable () async -> ChangeSet?, @escaping @Sendable () -> Void) async -> ChangeSet?

    init(_ observation: CacheObservation, _ inbox: Inbox, guardedBy guarding: StreamGuard?) {
        self.observation = observation
        self.inbox = inbox
        self.guarding = guarding
    }

    /// Makes an iterator. All iterators of a stream take from the same queue of changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observation: observation, inbox: inbox, guarding: guarding)
    }

    /// Ends the stream: the consumer is told nothing more.
    public func cancel() { observation.cancel() }

    /// Takes one set after the other.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let observation: CacheObservation
        let inbox: Inbox
        let guarding: StreamGuard?

        /// The next set; nil once the stream has ended.
        public mutating func next() async -> ChangeSet? {
            let (observation, inbox, guarding) = (observation, inbox, guarding)
            return await withTaskCancellationHandler {
                guard let guarding else { return await inbox.next() }
                return await guarding({ await inbox.next() }, { observation.cancel() })
            } onCancel: {
                observation.cancel()
            }
        }
    }
}
