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

    /// Takes the images of `epoch` out; what `older` does not have yet goes there.
    static func fold(_ epoch: UInt64, into older: UInt64?, in list: inout [EpochImages]) -> [EpochImages] {
        let position = list.partitionPoint { $0.epoch < epoch }
        guard position < list.count, list[position].epoch == epoch else { return [] }
        guard let older else { return [list.remove(at: position)] }
        if position > 0, list[position - 1].epoch == older {
            let taken = list.remove(at: position)
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
        list[position] = renamed
        return []
    }

    private func image(_ hash: UInt64, sameIDAs record: Record) -> Image? {
        guard let image = images[hash] else { return nil }
        if image.record.hasID(record.idBytes) { return image }
        return image.others.first { $0.record.hasID(record.idBytes) }
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
