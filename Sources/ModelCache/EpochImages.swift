import ModelRecord

/// What a shard keeps for the snapshots of one epoch: of each model that was overwritten since it was opened, and
/// before a newer epoch was, the record as it stood.
///
/// A snapshot looks in the images of its own epoch, then in those of newer ones in order, then in the live slots.
/// All of it under the shard's lock.
struct EpochImages {
    /// One record as it was.
    private struct Image {
        /// The old record; where there was none, the new one, which tells the id.
        var record: Record
        var isAbsent: Bool
        /// Records of other ids with the same hash: next to never any.
        var others: [Image]
    }

    let epoch: UInt64
    private var images: [UInt64: Image] = [:]
    /// The hashes of ids that were taken out of their slots while this was the newest epoch. Their images stand here.
    private var removed: Set<UInt64> = []

    private init(epoch: UInt64) { self.epoch = epoch }

    /// The record of the same id as `live`, as it was at `epoch`; nil when there was none.
    @inline(__always)
    static func resolve(_ live: Record, _ hash: UInt64, asOf epoch: UInt64, in list: [EpochImages]) -> Record? {
        if list.isEmpty { return live }
        return search(live, hash, epoch, list)
    }

    private static func search(
        _ live: Record, _ hash: UInt64, _ epoch: UInt64, _ list: [EpochImages]
    ) -> Record? {
        for entry in list[list.partitionPoint { $0.epoch < epoch }...] {
            if let image = entry.image(hash, sameIDAs: live) { return image.isAbsent ? nil : image.record }
        }
        return live
    }

    /// Keeps `record` for `epoch` unless a record of its id is kept already.
    ///
    /// Images of a newer epoch may still be here although it has been closed: it then stands between `epoch` and now,
    /// and takes the record in its place; what it has is folded into `epoch` soon.
    static func keep(
        _ record: Record, isAbsent: Bool, _ hash: UInt64, for epoch: UInt64, in list: inout [EpochImages]
    ) {
        if list.last.map({ $0.epoch < epoch }) ?? true { list.append(EpochImages(epoch: epoch)) }
        list[list.count - 1].add(Image(record: record, isAbsent: isAbsent, others: []), hash)
    }

    /// Takes note that an id whose image has just been kept has no slot any more.
    static func noteRemoved(_ hash: UInt64, in list: inout [EpochImages]) {
        guard let last = list.indices.last else { return }
        list[last].removed.insert(hash)
    }

    /// The record of an id that has no slot now, as it was at `epoch`.
    static func removed(_ id: Span<UInt8>, _ hash: UInt64, asOf epoch: UInt64, in list: [EpochImages]) -> Record? {
        for entry in list[list.partitionPoint { $0.epoch < epoch }...] {
            if let image = entry.image(hash, id) { return image.isAbsent ? nil : image.record }
        }
        return nil
    }

    /// Calls `body` for the ids that were taken out since `epoch`, each once, with the record as it was then.
    /// An id may have a slot again.
    static func forEachRemoved(
        hashes: ClosedRange<UInt64>, asOf epoch: UInt64, in list: [EpochImages], _ body: (UInt64, Record) -> Void
    ) {
        var seen: [UInt64: [Record]] = [:]
        for entry in list[list.partitionPoint { $0.epoch < epoch }...] {
            for hash in entry.removed where hashes.contains(hash) {
                guard let first = entry.images[hash] else { continue }
                for image in [first] + first.others {
                    let id = image.record
                    guard !(seen[hash]?.contains { $0.hasID(id.idBytes) } ?? false) else { continue }
                    seen[hash, default: []].append(id)
                    if let then = removed(id.idBytes, hash, asOf: epoch, in: list) { body(hash, then) }
                }
            }
        }
    }

    /// Takes the images of `epoch` out; what `older` does not have yet goes there.
    static func fold(_ epoch: UInt64, into older: UInt64?, in list: inout [EpochImages]) -> [EpochImages] {
        let position = list.partitionPoint { $0.epoch < epoch }
        guard position < list.count, list[position].epoch == epoch else { return [] }
        guard let older else { return [list.remove(at: position)] }
        if position > 0, list[position - 1].epoch == older {
            let taken = list.remove(at: position)
            list[position - 1].removed.formUnion(taken.removed)
            for (hash, image) in taken.images {
                let others = image.others
                list[position - 1].add(
                    Image(record: image.record, isAbsent: image.isAbsent, others: []), hash)
                for other in others { list[position - 1].add(other, hash) }
            }
            return [taken]
        }
        // The older epoch has nothing in this shard: it takes over all as it is.
        var renamed = EpochImages(epoch: older)
        renamed.images = list[position].images
        renamed.removed = list[position].removed
        list[position] = renamed
        return []
    }

    private func image(_ hash: UInt64, sameIDAs record: Record) -> Image? { image(hash, record.idBytes) }

    private func image(_ hash: UInt64, _ id: Span<UInt8>) -> Image? {
        guard let image = images[hash] else { return nil }
        if image.record.hasID(id) { return image }
        return image.others.first { $0.record.hasID(id) }
    }

    private mutating func add(_ image: Image, _ hash: UInt64) {
        guard self.image(hash, sameIDAs: image.record) == nil else { return }
        if images[hash] == nil {
            images[hash] = image
        } else {
            images[hash]?.others.append(image)
        }
    }
}
