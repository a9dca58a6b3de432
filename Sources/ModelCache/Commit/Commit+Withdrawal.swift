@_spi(RecordWriting) import ModelRecord

extension Commit {
    /// Withdraws a model from readers, or gives it back to them. Its state stays as it is, so digests, senders and
    /// stores see no difference. Nothing happens where it does not exist, or where this commit has changed it.
    @_spi(CacheWriting)
    public mutating func setWithdrawn(_ isWithdrawn: Bool, type: String, id: String) {
        let table = touch(type)
        setWithdrawn(isWithdrawn, table, id.utf8.span, idHash: Fingerprint.fnv(id))
    }
}

extension PendingSet {
    mutating func setWithdrawn(
        _ isWithdrawn: Bool, _ id: Span<UInt8>, _ hash: UInt64, _ shards: Shards, tally: inout CommitTally
    ) {
        reserve(1)
        guard let slots = shards.slots(of: hash), case let slot = slots.find(hash, id), slot >= 0,
            let old = slots.record(at: slot), old.exists, old.isWithdrawn != isWithdrawn, position(hash, id) < 0
        else {
            tally.unchanged += 1
            return
        }
        unsafe add(
            Pending(
                UnmanagedRecord(old.settingWithdrawn(isWithdrawn)), hash, digestDelta: 0, slot: slot, isVisible: true,
                wasPresent: old.isPresent))
    }
}
