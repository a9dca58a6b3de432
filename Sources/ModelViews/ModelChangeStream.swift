import ModelCache
public import ModelTypes

/// The changes of ``Models`` as an asynchronous sequence, with the contract of `ChangeStream`: for one consumer.
public struct ModelChangeStream<M: Model>: AsyncSequence, Sendable {
    let models: Models<M>
    let changes: ChangeStream

    public func makeAsyncIterator() -> Iterator {
        Iterator(models: models, changes: changes.makeAsyncIterator())
    }

    /// Ends the stream: the consumer is told nothing more.
    public func cancel() { changes.cancel() }

    /// Takes one set of changes after the other; none is empty.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let models: Models<M>
        var changes: ChangeStream.Iterator

        public mutating func next() async -> [ModelChange<M>]? {
            while let set = await changes.next() {
                let told = models.changes(in: set)
                if !told.isEmpty { return told }
            }
            return nil
        }
    }
}
