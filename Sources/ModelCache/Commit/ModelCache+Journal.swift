/// What a store has to be told.
extension ModelCache {
    /// From now on every change is noted: also one that no reader can see, because only versions have changed.
    ///
    /// Costs a commit an append for each record that changed; nothing before this call. The notes take memory until
    /// ``takeJournal()``.
    @_spi(CacheWriting)
    public func startJournal() { writerLock.withLock { _ in writer.isJournaling = true } }

    /// Hands over what has changed since the last call, in the order of the commits, and forgets it.
    ///
    /// From any thread; waits for a commit that is under way.
    @_spi(CacheWriting)
    public func takeJournal() -> [JournalEntry] {
        writerLock.withLock { _ in exchange(&writer.journal, with: []) }
    }
}

extension Writer {
    /// Notes what a commit is about to publish. Under the writer lock, before records are exchanged.
    func note(_ pending: [Pending], of type: String) {
        for entry in pending {
            guard let record = entry.record else { continue }
            journal.append(JournalEntry(type: type, record: record, isRemoval: entry.isRemoval))
        }
    }
}
