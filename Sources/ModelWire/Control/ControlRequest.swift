/// A request to a sender (protocol article, section 5), mostly of a replica.
///
/// `rid` is chosen by the requester; every reply repeats it. A prefix is the first bytes of topics: `m/` selects
/// everything, `m/User/` a type, `m/User/a` a sixteenth of it.
public enum ControlRequest: Sendable, Hashable {
    /// The first request: the requester's version and name, and the topics that it means to take.
    case hello(rid: UInt64, version: UInt64, name: String, prefixes: [Topic])
    /// Asks for all records of these topics. `credit` is how many `records` may come before more is granted.
    case snapshot(rid: UInt64, prefixes: [Topic], credit: UInt64)
    /// Asks for the end of such a snapshot alone: the heads of these topics, and no record. A side that does not know
    /// of it sends the records, too.
    case heads(rid: UInt64, prefixes: [Topic], credit: UInt64)
    /// Asks for such a snapshot with records that have no fields: the ids, and what says which of the models exist. A
    /// side that does not know of it sends whole records.
    case ids(rid: UInt64, prefixes: [Topic], credit: UInt64)
    /// Allows `count` more `records` of a snapshot. Not answered.
    case credit(rid: UInt64, count: UInt64)
    /// Asks for the batches of a topic again, from sequence `first` to `last`, both included.
    case replay(rid: UInt64, origin: String, incarnation: UInt64, topic: Topic, first: UInt64, last: UInt64)
    /// Asks for the records of these ids.
    case fetch(rid: UInt64, type: String, ids: [String])
    /// Asks for them, also for those that have left the copy for its limits: the side that is asked may take so long to
    /// bring them back, above 0. A side that does not know of it says that they have left.
    case fetchBack(rid: UInt64, type: String, ids: [String], milliseconds: UInt64)
    /// Asks for the digests of a type, one for each value of the upper `bits` bits of the mixed hash.
    case digest(rid: UInt64, type: String, bits: UInt64)
    /// Gives a batch to a relay, as it would be sent on the stream.
    case push(rid: UInt64, topic: Topic, batch: [UInt8])
    /// Tells the state of the replica. Not answered.
    case report(rid: UInt64, report: ReplicaReport)
    /// Ends a request. Not answered.
    case cancel(rid: UInt64)
    /// A method that version 1 does not know; the receiver ignores and counts it.
    case unknown(method: String, rid: UInt64)

    /// The number that replies repeat.
    public var rid: UInt64 {
        switch self {
        case .hello(let rid, _, _, _), .snapshot(let rid, _, _), .heads(let rid, _, _), .ids(let rid, _, _),
            .credit(let rid, _), .fetch(let rid, _, _), .fetchBack(let rid, _, _, _), .replay(let rid, _, _, _, _, _),
            .digest(let rid, _, _), .push(let rid, _, _), .report(let rid, _), .cancel(let rid),
            .unknown(_, let rid):
            rid
        }
    }

    /// The name of the method.
    public var method: String {
        switch self {
        case .hello: "hello"
        case .snapshot, .heads, .ids: "snapshot"
        case .credit: "credit"
        case .replay: "replay"
        case .fetch, .fetchBack: "fetch"
        case .digest: "digest"
        case .push: "push"
        case .report: "report"
        case .cancel: "cancel"
        case .unknown(let method, _): method
        }
    }
}
