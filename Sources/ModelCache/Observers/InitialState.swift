import ModelRecord

/// The state at an observer's registration, which is told first, a chunk at a time.
struct InitialState: Sendable {
    private let snapshot: Snapshot
    /// The types that are still to be told, the current one first.
    private var types: ArraySlice<String>
    private var bucket = 0

    /// How many models a chunk holds at least, unless the state ends.
    private static let chunk = 1024

    /// - Parameter types: the types to tell; nil for all.
    init(_ snapshot: Snapshot, types: [String]?) {
        self.snapshot = snapshot
        self.types = (types ?? snapshot.types)[...]
    }

    /// The next chunk; nil at the end. Chunks are never empty.
    mutating func next() -> ChangeSet? {
        var sections: [ChangeSection] = []
        var count = 0
        while let type = types.first, count < InitialState.chunk {
            var entries: [ChangeEntry] = []
            while bucket < 256, count + entries.count < InitialState.chunk {
                snapshot.forEach(type: type, buckets: bucket..<(bucket + 1)) { record in
                    entries.append(ChangeEntry(old: nil, new: record))
                    return true
                }
                bucket += 1
            }
            count += entries.count
            if !entries.isEmpty { sections.append(ChangeSection(type: type, entries: entries)) }
            if bucket == 256 {
                types.removeFirst()
                bucket = 0
            }
        }
        guard count > 0 else { return nil }
        return ChangeSet(sections, isInitial: true, commitNumber: snapshot.commitNumber)
    }
}
