@_spi(RecordWriting) import ModelRecord

/// The images of one epoch in a shard: of each model that changed while the epoch was the newest open one, the record
/// as it stood before.
///
/// A snapshot looks in the images of its own epoch, then in those of newer ones in order, then in the live slots. All
/// of this is under the shard's lock.
// Unchecked because it changes: under the shard's lock, or in the hands of the one thread that has taken it out.
final class EpochImages: @unchecked Sendable {
    private(set) var epoch: UInt64
    private var images = ImageTable()

    private init(epoch: UInt64) { self.epoch = epoch }

    deinit { images.releaseAll() }

    /// The record of the same id as `live`, as it was at `epoch`; nil when there was none. Not counted.
    @inline(__always)
    static func resolve(
        _ live: UnmanagedRecord, _ hash: UInt64, asOf epoch: UInt64, in list: [EpochImages]
    ) -> UnmanagedRecord? {
        if list.isEmpty { return unsafe live }
        return unsafe search(live, hash, epoch, list)
    }

    private static func search(
        _ live: UnmanagedRecord, _ hash: UInt64, _ epoch: UInt64, _ list: [EpochImages]
    ) -> UnmanagedRecord? {
        for entry in list[list.partitionPoint { $0.epoch < epoch }...] {
            if let place = unsafe entry.images.find(hash, of: live) {
                return unsafe entry.images[place].before
            }
        }
        return unsafe live
    }

    /// Keeps `record` for `epoch` unless a record of its id is kept already.
    ///
    /// Images of a newer epoch that has been closed may still be here. They then stand between `epoch` and now, and
    /// take the record instead; soon they are folded into `epoch`.
    /// - Parameter isAbsent: the id had no record; `record` is the new one, and tells the id.
    static func keep(
        _ record: UnmanagedRecord, isAbsent: Bool, _ hash: UInt64, for epoch: UInt64, in list: inout [EpochImages]
    ) {
        if list.last.map({ $0.epoch < epoch }) ?? true { list.append(EpochImages(epoch: epoch)) }
        let last = list[list.count - 1]
        guard unsafe last.images.find(hash, of: record) == nil else { return }
        unsafe record.retain()
        unsafe last.images.add(Image(record, isAbsent: isAbsent), hash)
    }

    /// See ``ImageTable/longestRun``.
    var longestRun: Int { images.longestRun }

    /// Notes that an id whose image has just been kept has lost its slot.
    static func noteRemoved(_ hash: UInt64, _ id: Span<UInt8>, in list: [EpochImages]) {
        guard let last = list.last, let place = last.images.find(hash, id) else { return }
        last.images.noteRemoved(at: place)
    }

    /// The record of an id that has no slot now, as it was at `epoch`. Not counted.
    static func removed(
        _ id: Span<UInt8>, _ hash: UInt64, asOf epoch: UInt64, in list: [EpochImages]
    ) -> UnmanagedRecord? {
        for entry in list[list.partitionPoint { $0.epoch < epoch }...] {
            if let place = entry.images.find(hash, id) { return unsafe entry.images[place].before }
        }
        return nil
    }

    /// Calls `body` for each id that was removed since `epoch`, once, with the record as it was then, which is not
    /// counted. The id may have a slot again.
    static func forEachRemoved(
        in window: HashWindow, asOf epoch: UInt64, in list: [EpochImages],
        _ body: (UInt64, UnmanagedRecord) -> Void
    ) {
        let entries = list[list.partitionPoint { $0.epoch < epoch }...]
        for (position, entry) in zip(entries.indices, entries) where entry.images.removedCount > 0 {
            unsafe entry.images.forEachRemoved(in: window) { hash, id in
                // The first entry with an image of the id has it as it was. The id is told once, by the first entry
                // that noted its removal.
                var then: UnmanagedRecord?? = unsafe .none
                for (other, earlier) in zip(entries.indices, entries) where other <= position {
                    guard let place = unsafe earlier.images.find(hash, of: id) else { continue }
                    if other < position, earlier.images[place].isRemoved { return }
                    if unsafe then == nil { unsafe then = .some(earlier.images[place].before) }
                }
                if let then = unsafe then ?? nil { unsafe body(hash, then) }
            }
        }
    }

    /// Removes the images of `epoch`. Those that `older` does not have yet go there.
    /// - Returns: the images that are no longer needed, to be released outside the lock.
    static func fold(_ epoch: UInt64, into older: UInt64?, in list: inout [EpochImages]) -> EpochImages? {
        let position = list.partitionPoint { $0.epoch < epoch }
        guard position < list.count, list[position].epoch == epoch else { return nil }
        guard let older else { return list.remove(at: position) }
        guard position > 0, list[position - 1].epoch == older else {
            // The older epoch has nothing in this shard: it takes over all as it is.
            list[position].epoch = older
            return nil
        }
        let taken = list.remove(at: position)
        list[position - 1].images.take(from: &taken.images)
        return taken
    }
}
