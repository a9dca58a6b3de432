import ModelCache
import ModelRecord
public import ModelWire

/// What became of a batch of writes.
public struct BatchOutcome: Hashable, Sendable {
    /// Writes that are on their way.
    public var published = 0
    /// Writes that changed nothing and were not sent.
    public var unchanged = 0

    public init() {}
}

extension Origin {
    /// Does several writes, one after the other: the same as ``write(_:type:id:fields:now:)`` for each, for less.
    ///
    /// Not atomic: that is ``transaction(_:now:)``. The names are all checked before the first is written.
    /// - Throws: `WireError` for a bad type or id, when nothing has changed yet, or for a model that grows past a
    ///   frame, when the writes before it have been done.
    public mutating func writeBatch(
        _ entries: [TransactionEntry], now: Moment
    ) throws(WireError) -> BatchOutcome {
        for entry in entries {
            _ = try state(of: entry.type)
            do { try Names.check(id: entry.id) } catch { throw WireError(error) }
        }
        var outcome = BatchOutcome()
        var start = 0
        while start < entries.count {
            let type = entries[start].type
            var hashes: [UInt64] = []
            var end = start
            while end < entries.count, entries[end].type == type {
                hashes.append(Fingerprint.fnv(entries[end].id))
                end += 1
            }
            cache.prepareCommits(to: hashes, in: try state(of: type).table)
            for entry in entries[start..<end] {
                let result = try write(entry.write, type: entry.type, id: entry.id, fields: entry.fields, now: now)
                if result == .unchanged { outcome.unchanged += 1 } else { outcome.published += 1 }
            }
            start = end
        }
        return outcome
    }
}
