@_spi(RecordWriting) public import ModelRecord

/// All models of all types as they were between two commits, however long it is kept.
///
/// Taking one is O(1). While it is open, records that commits replace stay alive for it: a snapshot costs the memory of
/// what has changed since, and a little time at each of those changes. Release it when done.
public final class Snapshot: Sendable {
    package let cache: ModelCache
    private let epoch: UInt64
    private let directory: Directory
    private let counts: [TableCounts]
    /// The number of the last commit that the snapshot shows; 0 for none.
    public let commitNumber: UInt64

    init(_ cache: ModelCache, epoch: UInt64, directory: Directory, cut: borrowing Cut) {
        self.cache = cache
        self.epoch = epoch
        self.directory = directory
        counts = cut.counts
        commitNumber = cut.commitNumber
    }

    deinit { cache.close(epoch) }

    /// The model `id` of `type`, or nil when it did not exist.
    public subscript(type: String, id: String) -> CellRecord? {
        guard let record = record(type: type, id: id, includingTombstones: false) else { return nil }
        return record
    }

    /// The record of `id` as it was, or nil when it did not exist. With `includingTombstones`, that of a deleted model,
    /// too.
    public func record(type: String, id: String, includingTombstones: Bool) -> CellRecord? {
        guard let table = table(type) else { return nil }
        let span = id.utf8.span
        let hash = SlotArray.hash(idHash: Fingerprint.fnv(span))
        guard let record = table.shards.record(hash, span, asOf: epoch) else { return nil }
        return record.isPresent || includingTombstones ? record : nil
    }

    /// The types that had models, in the order in which the cache came to know their names.
    public var types: [String] { Cut.types(counts, directory) }

    /// How many models of `type` existed.
    public func count(of type: String) -> Int { table(type).map { counts[$0.number].existing } ?? 0 }

    /// Calls `body` for each model of `type` until it returns false.
    ///
    /// The order is that of the buckets; within a bucket there is no certain order. `body` runs on the calling thread
    /// and under no lock.
    /// - Parameters:
    ///   - type: the models' type.
    ///   - buckets: only models of these buckets; within 0..<256.
    ///   - includingTombstones: call `body` for deleted models, too.
    ///   - body: called with each model; false ends the walk.
    /// - Complexity: O(*models in the buckets*)
    public func forEach(
        type: String, buckets: Range<Int> = 0..<256, includingTombstones: Bool = false,
        _ body: (CellRecord) throws -> Bool
    ) rethrows {
        guard let table = table(type) else { return }
        // The records are not counted one by one: this snapshot stays open until the end of the walk and keeps them.
        // ``Shards`` gives the proof at `collect(_:asOf:into:)`.
        var records: [UnmanagedRecord] = unsafe []
        // A shard without slots has had no record in any epoch that is open.
        for bucket in buckets where table.shards.capacity(of: bucket / 4) > 0 {
            for window in windows(of: bucket, table) {
                unsafe records.removeAll(keepingCapacity: true)
                unsafe table.shards.collect(window, asOf: epoch, into: &records)
                for index in unsafe records.indices where unsafe includingTombstones || records[index].isPresent {
                    guard try unsafe records[index].lend(body) else { return }
                }
            }
        }
        withExtendedLifetime(self) {}
    }

    /// All models of `type` that existed, as a sequence that can be walked more than once.
    public func records(of type: String) -> Records { Records(snapshot: self, type: type) }

    /// The parts of a bucket, each short enough to be copied under a shard's lock.
    ///
    /// The parts stay right when the number of slots changes before they are read; only their sizes differ then.
    private func windows(of bucket: Int, _ table: TypeTable) -> [HashWindow] {
        var parts: UInt64 = 1
        while table.shards.capacity(of: bucket / 4) / 4 / Int(parts) > Snapshot.windowMax { parts *= 2 }
        return HashWindow.parts(of: bucket, count: parts, isSeeded: table.shards.isSeeded(bucket / 4))
    }

    /// About how many slots are looked at under one lock.
    private static let windowMax = 512

    /// The table of `type`, if it had models.
    private func table(_ type: String) -> TypeTable? {
        guard let table = directory[type], table.number < counts.count, counts[table.number].records > 0 else {
            return nil
        }
        return table
    }
}

extension Snapshot {
    /// The existing models of one type in a snapshot. The sequence keeps the snapshot open.
    public struct Records: Sequence, Sendable {
        let snapshot: Snapshot
        let type: String

        /// Makes an iterator that begins at the first bucket.
        public func makeIterator() -> Iterator { Iterator(snapshot: snapshot, type: type) }

        /// The exact number of models.
        public var underestimatedCount: Int { snapshot.count(of: type) }

        /// Returns one model after the other. Holds the records of one bucket at a time.
        public struct Iterator: IteratorProtocol {
            private let snapshot: Snapshot
            private let type: String
            private var bucket = 0
            private var records: [CellRecord] = []

            init(snapshot: Snapshot, type: String) {
                self.snapshot = snapshot
                self.type = type
            }

            /// The next model; nil at the end.
            public mutating func next() -> CellRecord? {
                while records.isEmpty {
                    guard bucket < 256 else { return nil }
                    snapshot.forEach(type: type, buckets: bucket..<(bucket + 1)) {
                        records.append($0)
                        return true
                    }
                    bucket += 1
                }
                return records.removeLast()
            }
        }
    }
}

extension ModelCache {
    /// All models as they are now, between two commits.
    /// - Complexity: O(1); waits while another thread publishes a batch.
    public func snapshot() -> Snapshot { cut.withLock { snapshot(of: &$0) } }

    /// Opens a snapshot. Under the cut lock.
    func snapshot(of cut: inout Cut) -> Snapshot {
        let epoch = cut.epochs.hold(commitNumber: cut.commitNumber)
        return Snapshot(self, epoch: epoch, directory: directoryCopy(), cut: cut)
    }

    /// Releases one hold on an epoch, and gives up the images that were kept for it alone.
    func close(_ epoch: UInt64) {
        guard cut.withLock({ $0.epochs.release(epoch) }) else { return }
        // This thread clears up until no closed epoch is left. Each shard is locked for itself, so writers and readers
        // go on.
        while let job = cut.withLock({ $0.epochs.next() }) {
            let directory = directoryCopy()
            for (number, shards) in job.touched.enumerated() where shards != 0 {
                for index in 0..<Shards.count where shards & (1 << UInt64(index)) != 0 {
                    // The images that are given up are released here, outside the shard's lock.
                    _ = directory.tables[number].shards.fold(shard: index, epoch: job.epoch, into: job.older)
                }
            }
        }
    }
}
