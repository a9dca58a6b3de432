public import ModelRecord

/// A reply of a sender (protocol article, section 5). `rid` is the number of the request.
public enum ControlReply: Sendable, Hashable {
    /// The answer to `hello`: the sender's version and name, the endpoint of its stream, the interval of its heads, the
    /// largest frame, the heads, and types of which it holds models. Not all types fit, and some may be in no head.
    case welcome(
        rid: UInt64, version: UInt64, name: String, streamEndpoint: String, heartbeatMilliseconds: UInt64,
        frameLimit: UInt64, heads: [Heads], types: [String] = [])
    /// A chunk of records of one type.
    case records(rid: UInt64, type: String, records: [CellRecord])
    /// A chunk with some of the cells of one record that is too large for a message. The next `records` has the next
    /// part, or the last one.
    case part(rid: UInt64, type: String, record: CellRecord)
    /// The models of a fetch that have left the copy of the sender for its limits, so that nothing is said of them.
    case evicted(rid: UInt64, type: String, ids: [String])
    /// The end of a snapshot, fetch or replay, with the heads read before its first record.
    case complete(rid: UInt64, heads: [Heads])
    /// A batch of a replay, as it was sent on the stream.
    case frame(rid: UInt64, topic: Topic, batch: [UInt8])
    /// The first batch that a replay asked for is not held any more; `oldest` is the first sequence that is, 0 for
    /// none.
    case gone(rid: UInt64, oldest: UInt64)
    /// The digests of a type, one for each range of buckets, and the heads that they belong to.
    case digests(rid: UInt64, heads: [Heads], digests: [UInt64])
    /// A pushed batch was merged, and stored where there is a store.
    case accepted(rid: UInt64)
    /// The request is refused.
    case error(rid: UInt64, code: ControlErrorCode, message: String)
    /// A method that version 1 does not know; the receiver ignores and counts it.
    case unknown(method: String, rid: UInt64)

    /// The number of the request.
    public var rid: UInt64 {
        switch self {
        case .welcome(let rid, _, _, _, _, _, _, _), .records(let rid, _, _), .part(let rid, _, _),
            .evicted(let rid, _, _), .complete(let rid, _), .frame(let rid, _, _),
            .gone(let rid, _), .digests(let rid, _, _), .accepted(let rid), .error(let rid, _, _),
            .unknown(_, let rid):
            rid
        }
    }

    /// The name of the method.
    public var method: String {
        switch self {
        case .welcome: "welcome"
        case .records, .part: "records"
        case .evicted: "evicted"
        case .complete: "complete"
        case .frame: "frame"
        case .gone: "gone"
        case .digests: "digests"
        case .accepted: "accepted"
        case .error: "error"
        case .unknown(let method, _): method
        }
    }
}
