/// The changes of an observation, which wait until their owner takes them. For an owner that waits for other things,
/// too, such as for room in a socket. The contract is that of ``ModelCache/observe(_:evictions:on:_:)``.
package final class ChangeQueue: Sendable {
    private let inbox: Inbox
    private let observation: CacheObservation
    /// The last commit before the changes. The initial state, where it is told, is that after this commit.
    package let commitNumber: UInt64

    fileprivate init(_ observation: CacheObservation, _ inbox: Inbox, after commitNumber: UInt64) {
        self.observation = observation
        self.inbox = inbox
        self.commitNumber = commitNumber
    }

    /// Takes the next set; nil where none waits. The bell rings again for what comes after a nil.
    ///
    /// Every set is here up to ``ModelCache/deliveredCommitNumber``. For one consumer: two threads must not call it at
    /// once.
    package func next() -> ChangeSet? { inbox.takeNow() }

    /// Ends the observation: nothing more is told, and what waits is dropped.
    package func cancel() { observation.cancel() }
}

extension ModelCache {
    /// The changes of what is of interest, for an owner that takes them itself.
    /// - Parameters:
    ///   - evictions: tell which models leave a copy with limits, too (``ChangeReason/evicted``).
    ///   - includingState: tell the current state first.
    ///   - bell: is called, on the thread that commits, when there is something to take where there was nothing. It
    ///     must not take it there.
    package func changeQueue(
        _ interest: Interest, evictions: Bool, includingState: Bool, bell: @escaping @Sendable () -> Void
    ) -> ChangeQueue {
        let inbox = Inbox(.bell(bell), interest, tellsEvictions: evictions)
        let (observation, commitNumber) = register(inbox, includingState: includingState)
        return ChangeQueue(observation, inbox, after: commitNumber)
    }

    /// The last commit whose changes have been handed to all observers. A commit can be seen a little earlier.
    ///
    /// Waits for a commit that is under way.
    package var deliveredCommitNumber: UInt64 { writerLock.withLock { _ in cut.withLock { $0.commitNumber } } }
}
