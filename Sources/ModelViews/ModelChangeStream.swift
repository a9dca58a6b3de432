import ModelCache
public import ModelTypes

/// The changes of ``Models`` as an asynchronous sequence, for one consumer, with the contract of `ChangeStream`.
public struct ModelChangeStream<M: Model>: AsyncSequence, Sendable {
    let models: Models<M>
    let changes: ChangeStream

    public func makeAsyncIterator() -> Iterator {
        Iterator(models: models, changes: changes.makeAsyncIterator())
    }

    /// Ends the stream: the consumer gets no more changes.
    public func cancel() { changes.cancel() }

    /// Returns one set of changes after the other; no set is empty.
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
