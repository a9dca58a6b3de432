/// The changes of an observation as an asynchronous sequence of ``ChangeSet``.
///
/// It ends when the task that awaits it is cancelled; the observation ends with it, and also when the stream and its
/// iterators are released. A slow consumer is told folded changes; nothing piles up.
/// One consumer: two tasks that await its next element at once are a mistake, and trap.
public struct ChangeStream: AsyncSequence, Sendable {
    private let observation: Observation
    private let inbox: Inbox

    init(_ observation: Observation, _ inbox: Inbox) {
        self.observation = observation
        self.inbox = inbox
    }

    public func makeAsyncIterator() -> Iterator { Iterator(observation: observation, inbox: inbox) }

    /// Ends the stream: the consumer is told nothing more.
    public func cancel() { observation.cancel() }

    /// Takes one set after the other.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let observation: Observation
        let inbox: Inbox

        /// The next set; nil once the stream was cancelled or the task is.
        public mutating func next() async -> ChangeSet? {
            let (observation, inbox) = (observation, inbox)
            return await withTaskCancellationHandler {
                await inbox.next()
            } onCancel: {
                observation.cancel()
            }
        }
    }
}
