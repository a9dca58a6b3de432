/// The changes of an observation as an asynchronous sequence of ``ChangeSet``.
///
/// It ends when the task that awaits it is cancelled; of a publisher, relay or subscriber also when that has stopped,
/// and when the service group of the task that awaits it shuts down. The observation ends with it, and also when the
/// stream and its iterators are released. A slow consumer is told folded changes; nothing piles up.
/// One consumer: two tasks that await its next element at once are a mistake, and trap.
public struct ChangeStream: AsyncSequence, Sendable {
    private let observation: CacheObservation
    private let inbox: Inbox
    private let guarding: StreamGuard?

    /// Awaits the next set of a stream, and calls the second function when the stream is to end for another reason than
    /// that its task was cancelled.
    package typealias StreamGuard =
        @Sendable (@Sendable () async -> ChangeSet?, @escaping @Sendable () -> Void) async -> ChangeSet?

    init(_ observation: CacheObservation, _ inbox: Inbox, guardedBy guarding: StreamGuard?) {
        self.observation = observation
        self.inbox = inbox
        self.guarding = guarding
    }

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
