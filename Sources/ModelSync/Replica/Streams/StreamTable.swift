import ModelWire

/// The streams that a replica follows: found by key, by type and by origin, and in one order on every machine.
struct StreamTable {
    private var byKey: [StreamKey: StreamState] = [:]
    private var byType: [String: [StreamState]] = [:]
    /// The streams of each origin, in the order in which they were met.
    private(set) var byOrigin: [String: [StreamState]] = [:]
    /// All streams by origin and topic, but for those that are still in `unordered`.
    private var ordered: [StreamState] = []
    private var unordered: [StreamState] = []
    /// The streams with a hole, a repair or something rejected.
    var unsettled = UnsettledStreams()
    /// The names of the topics that messages came on.
    var topics = TopicNames()
    /// The stream that was found last: mostly the next batch is of the same, and no key needs to be hashed.
    private(set) var recent: StreamState?

    var count: Int { byKey.count }
    var keys: some Collection<StreamKey> { byKey.keys }
    /// All streams, in the order of a dictionary: for work that depends on no order.
    var values: some Collection<StreamState> { byKey.values }
    /// The streams by key, in the order of a dictionary.
    var entries: [StreamKey: StreamState] { byKey }

    subscript(key: StreamKey) -> StreamState? { byKey[key] }

    /// The stream of a key, which is remembered as ``recent`` for the next batch.
    mutating func find(_ key: StreamKey) -> StreamState? {
        guard let stream = byKey[key] else { return nil }
        recent = stream
        return stream
    }

    /// The streams of a type, in the order in which they were met.
    func of(type: String) -> [StreamState] { byType[type] ?? [] }

    /// The streams of an origin, in the order in which they were met.
    func of(origin: String) -> [StreamState] { byOrigin[origin] ?? [] }

    func follows(_ origin: String) -> Bool { byOrigin[origin] != nil }

    /// Adds a stream, which is followed from now on.
    mutating func insert(_ stream: StreamState) {
        byKey[stream.key] = stream
        byType[stream.type, default: []].append(stream)
        byOrigin[stream.key.origin, default: []].append(stream)
        unordered.append(stream)
    }

    /// Removes the streams of these origins, which are followed no more.
    /// - Returns: the streams that were removed.
    mutating func remove(streamsOf origins: Set<String>) -> [StreamState] {
        let removed = origins.flatMap { byOrigin.removeValue(forKey: $0) ?? [] }
        for stream in removed { byKey[stream.key] = nil }
        for type in Set(removed.map(\.type)) {
            byType[type]?.removeAll { origins.contains($0.key.origin) }
        }
        ordered.removeAll { origins.contains($0.key.origin) }
        unordered.removeAll { origins.contains($0.key.origin) }
        recent = nil
        return removed
    }

    /// All streams, in one order on every machine: by origin and topic.
    /// - Complexity: O(*streams*), and O(*n* · log *n*) for those that were met since the last time.
    mutating func inOrder() -> [StreamState] {
        if !unordered.isEmpty {
            let new = unordered.sorted { $0.precedes($1) }
            unordered = []
            guard !ordered.isEmpty else {
                ordered = new
                return ordered
            }
            var merged: [StreamState] = []
            merged.reserveCapacity(ordered.count + new.count)
            var position = 0
            for stream in ordered {
                while position < new.count, new[position].precedes(stream) {
                    merged.append(new[position])
                    position += 1
                }
                merged.append(stream)
            }
            ordered = merged + new[position...]
        }
        return ordered
    }

    /// The first sum that is not kept up to date; nil where all are.
    mutating func brokenInvariant() -> String? {
        if inOrder().count != count { return "a stream is missing among those in order" }
        if byOrigin.values.reduce(0, { $0 + $1.count }) != count { return "a stream is not found by its origin" }
        if byType.values.reduce(0, { $0 + $1.count }) != count { return "a stream is not found by its type" }
        return nil
    }
}
