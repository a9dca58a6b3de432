/// The changes that a store has to be told.
extension ModelCache {
    /// Begins to note every change, also one that no reader can see because only versions changed; but none of a type
    /// that has limits.
    ///
    /// From then on each changed record costs its commit an append. The notes take memory until ``takeJournal()``.
    @_spi(CacheWriting)
    public func startJournal() { writerLock.withLock { _ in writer.isJournaling = true } }

    /// Returns the changes since the last call, in the order of the commits, and forgets them.
    ///
    /// From any thread; waits for a commit that is under way.
    @_spi(CacheWriting)
    public func takeJournal() -> [JournalEntry] {
        writerLock.withLock { _ in exchange(&writer.journal, with: []) }
    }
}

extension Writer {
    /// Notes the changes that a commit is about to publish. Under the writer lock, before records are exchanged.
    func note(_ pending: [Pending], of type: String) {
        for entry in pending {
            guard let record = entry.record else { continue }
            journal.append(JournalEntry(type: type, record: record, isRemoval: entry.isRemoval))
        }
    }
}
