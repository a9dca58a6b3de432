import ModelWire

/// How far the batches of a stream have come here.
struct StreamReach {
    let key: StreamKey
    let incarnation: UInt64
    /// The last sequence that was applied, also beyond a hole.
    let last: UInt64

    init(_ stream: StreamState) {
        key = stream.key
        incarnation = stream.incarnation
        last = stream.tracker.lastApplied
    }

    /// Whether any of these heads of the stream's origin tells as much.
    func isReached(by heads: [Heads]) -> Bool {
        heads.contains { told in
            told.incarnation == incarnation && told[key.topic].map { $0.sequence >= last } ?? false
        }
    }
}
