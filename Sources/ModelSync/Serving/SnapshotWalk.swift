import ModelCache
import ModelGrants
@_spi(RecordWriting) import ModelRecord
import ModelWire

/// The way through a snapshot of the cache, from message to message. All messages show one state.
///
/// A snapshot does not change, so a message may be made beside the writers, under no lock.
struct SnapshotWalk: Sendable {
    private let snapshot: Snapshot
    private let prefixes: PrefixSet
    private let extent: SnapshotExtent
    private let rights: Rights
    /// The types that the prefixes select; nil before the first step.
    private var types: [String]?
    private var typeIndex = 0
    private var bucket = 0
    private var waiting: ArraySlice<CellRecord> = []
    private var chunking: RecordChunking

    init(
        snapshot: Snapshot, prefixes: PrefixSet, extent: SnapshotExtent, rights: Rights = .all, frameByteCount: Int
    ) {
        self.snapshot = snapshot
        self.extent = extent
        self.rights = rights
        self.prefixes = prefixes
        chunking = RecordChunking(byteCountMax: frameByteCount, frameByteCount: frameByteCount)
    }

    /// The next message, or nil when everything was handed out.
    /// - Parameter byteCount: how many bytes the message usually takes at most.
    mutating func next(rid: UInt64, byteCount: Int) -> ControlReply? {
        chunking.byteCountMax = byteCount
        let types = types ?? wantedTypes()
        self.types = types
        while typeIndex < types.count {
            let type = types[typeIndex]
            if let chunk = chunking.fill(from: &waiting) { return chunk.reply(rid: rid, type: type) }
            if bucket < 256 {
                if isWanted(bucket, of: type) { waiting = records(of: type, bucket) }
                bucket += 1
                continue
            }
            let last = chunking.finish()
            typeIndex += 1
            bucket = 0
            if let last { return last.reply(rid: rid, type: type) }
        }
        return nil
    }

    /// The models of which fields were left out since the last call.
    mutating func takeUnsendable() -> [RecordChunking.Unsendable] { chunking.takeUnsendable() }

    private func wantedTypes() -> [String] {
        snapshot.types.filter { rights.mayRead($0) && prefixes.overlaps(.data(type: $0)) }
    }

    private func records(of type: String, _ bucket: Int) -> ArraySlice<CellRecord> {
        var records: [CellRecord] = []
        snapshot.forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
            records.append(extent.hasFields ? record : record.withoutCells)
            return true
        }
        return records[...]
    }

    /// Prefixes select as if every topic had two digits.
    private func isWanted(_ bucket: Int, of type: String) -> Bool {
        prefixes.covers(Topic.data(type: type, partitions: .twoHundredFiftySix, bucket: bucket).bytes)
    }
}
