import ModelCache
import ModelRecord
import ModelWire

/// A snapshot under way to one peer: where it stands, and how many chunks may still be sent.
///
/// It holds a snapshot of the cache, so all chunks show one state, and reads it bucket by bucket as credit comes.
struct SnapshotCursor: Sendable {
    private let snapshot: Snapshot
    private let prefixes: [[UInt8]]
    private let types: [String]
    private let byteCountMax: Int
    /// The heads read before the snapshot was opened; sent at the end.
    let heads: [Heads]
    /// How many chunks may be sent.
    private(set) var credit: Int
    /// When it was last given credit.
    private(set) var lastUse: UInt64

    private var typeIndex = 0
    private var bucket = 0
    private var waiting: ArraySlice<Record> = []

    init(snapshot: Snapshot, prefixes: [[UInt8]], heads: [Heads], credit: Int, byteCountMax: Int, now: UInt64) {
        self.snapshot = snapshot
        self.prefixes = prefixes
        self.heads = heads
        self.byteCountMax = byteCountMax
        lastUse = now
        self.credit = min(credit, SnapshotCursor.creditMax)
        types = snapshot.types.filter { type in
            let topic = Topic.data(type: type)
            return prefixes.contains { topic.overlaps($0) }
        }
    }

    /// The most chunks that may be on their way unacknowledged (protocol article, section 5).
    static let creditMax = 64

    mutating func add(credit more: Int, now: UInt64) {
        guard more > 0 else { return }
        credit =
            more >= SnapshotCursor.creditMax ? SnapshotCursor.creditMax : min(credit + more, SnapshotCursor.creditMax)
        lastUse = now
    }

    /// One chunk of one type, or nil when everything was handed out. Needs credit.
    mutating func nextChunk() -> (type: String, records: [Record])? {
        guard fill() else { return nil }
        credit -= 1
        let type = types[typeIndex]
        var records: [Record] = []
        var byteCount = 0
        while byteCount < byteCountMax, fill(), types[typeIndex] == type {
            guard let record = waiting.first else { break }
            // A record that would push the chunk past the limit begins the next one.
            if !records.isEmpty, byteCount + record.byteCount > byteCountMax { break }
            records.append(record)
            byteCount += record.byteCount
            waiting.removeFirst()
        }
        return (type, records)
    }

    /// Sees to it that a record waits; false at the end.
    private mutating func fill() -> Bool {
        while waiting.isEmpty {
            guard typeIndex < types.count else { return false }
            if bucket == 256 {
                typeIndex += 1
                bucket = 0
                continue
            }
            if isWanted(bucket, of: types[typeIndex]) {
                var records: [Record] = []
                snapshot.forEach(
                    type: types[typeIndex], buckets: bucket..<(bucket + 1), includingTombstones: true
                ) { record in
                    records.append(record)
                    return true
                }
                waiting = records[...]
            }
            bucket += 1
        }
        return typeIndex < types.count
    }

    /// Prefixes select as if every topic had two digits.
    private func isWanted(_ bucket: Int, of type: String) -> Bool {
        let topic = Topic.data(type: type, partitions: .twoHundredFiftySix, bucket: bucket)
        return prefixes.contains { topic.bytes.starts(with: $0) }
    }
}
