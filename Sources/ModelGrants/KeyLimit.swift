/// A limit that a grant may set for one key, all its connections together, at each process that serves it.
public enum KeyLimit: String, CaseIterable, Hashable, Sendable {
    /// Connections to the control endpoint; and as many to the stream.
    case connections
    /// Requests a second: hello, snapshots, fetches, digests and replays.
    case requests
    /// Bytes of answers that were made and not yet taken.
    case underWay = "underway"
    /// Streams, each of a type and an origin, that it begins by pushing.
    case streams
    /// Models that hold something that it pushed, with the deleted ones that are remembered.
    case ids
    /// Bytes of these models.
    case bytes
    /// Updates a second that it pushes.
    case rate

    /// The limit is one of bytes, and its number may end in `K`, `M` or `G`.
    public var countsBytes: Bool { self == .underWay || self == .bytes }

    /// The limit bounds what is pushed, so it means nothing for a key that may not write.
    public var boundsPushes: Bool {
        switch self {
        case .streams, .ids, .bytes, .rate: true
        case .connections, .requests, .underWay: false
        }
    }
}
