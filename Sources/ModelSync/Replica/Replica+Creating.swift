import ModelCache
import ModelGrants
import ModelRecord
import ModelWire

/// The amount that a pushed batch would add, for the limits of keys. All questions are of the batch that was judged
/// last.
extension Replica {
    /// How many updates the batch has.
    var decodedUpdateCount: Int { decoder.updateCount }

    /// The batch begins a stream.
    func isNewPushed(_ topic: Topic) -> Bool { isNew(StreamKey(origin: decoder.origin, topic: topic)) }

    /// The stream is not followed.
    func isNew(_ key: StreamKey) -> Bool { streams[key] == nil }

    /// The batch is a part of a transaction over several topics.
    var decodedIsPart: Bool { decoder.group.count > 1 }

    /// The part may be held for the rest of its transaction; false where it surely is not.
    func mayHoldPart(_ part: PushedPart) -> Bool {
        let key = StreamKey(origin: part.stream.origin, topic: part.stream.topic)
        return groups.firstHeld(key, of: part.stream.incarnation).map { $0 <= part.sequence } ?? false
    }

    /// How many streams of these origins were begun by pushing.
    func pushedStreamCount(where isOwn: (String) -> Bool) -> Int {
        var count = 0
        for (key, stream) in streams.entries where stream.isPushed && isOwn(key.origin) { count += 1 }
        return count
    }

    /// About how much the batch would add to the models that hold something of these origins; never too little.
    func decodedCreation(_ frame: Span<UInt8>, type: String, where isOwn: (String) -> Bool) -> CreatedAmount {
        var amount = CreatedAmount()
        var seen: Set<String> = []
        for update in decoder.outlines(in: frame) {
            let known = cache.record(type: type, id: update.id, includingTombstones: true)
            if seen.insert(update.id).inserted, !(known?.isWritten(by: isOwn) ?? false) {
                amount.ids += 1
                // The model counts whole from now on, with all that others wrote.
                amount.byteCount += known?.byteCount ?? (Replica.modelByteCount + update.id.utf8.count)
            }
            if update.operation != .delete {
                // A version for each cell, and one for the model, which may have had none of that kind.
                let versionByteCount = Replica.versionByteCount + decoder.origin.utf8.count
                amount.byteCount += update.fieldsByteCount + (update.fieldCount + 1) * versionByteCount
            }
        }
        return amount
    }

    /// About the bytes of a record beside its cells and its id, and of a version beside its origin, with the head of
    /// the cell around it.
    private static let (modelByteCount, versionByteCount) = (96, 13)
}
