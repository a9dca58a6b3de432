public import ModelWire

/// What a replica can say of one sender at any moment.
public struct SenderStatus: Sendable {
    public let sender: SenderID
    /// The sender's own name; empty before the first welcome.
    public let name: String
    public let state: ReplicaState
    /// How long the state has lasted.
    public let lasted: Duration
    /// How long ago the sender was heard of.
    public let silent: Duration
    public let lastError: String?
    /// It has been live at least once, so the cache holds all that the sender had by then.
    public let wasLive: Bool
}

/// What a replica can say of one stream at any moment.
public struct StreamStatus: Sendable {
    public let origin: String
    public let topic: Topic
    public let state: ReplicaState
    /// How long the state has lasted.
    public let lasted: Duration
    /// The last sequence that the origin is known to have sent.
    public let head: UInt64
    /// Every sequence up to this one has been applied.
    public let applied: UInt64
    /// How many sequences before the last known one are missing.
    public let missing: UInt64
    public let holesFound: UInt64
    public let holesFilled: UInt64
    public let holesMendedBySnapshot: UInt64
    /// From finding the last hole to its end.
    public let lastRepair: Duration?
}

extension Replica {
    /// The state towards one sender.
    public func state(of sender: SenderID) -> ReplicaState {
        let session = sessions[sender.index]
        if session.isStale { return .stale }
        switch session.phase {
        case .disconnected, .greeting: return .connecting
        case .barrier, .snapshot: return .syncing
        case .synced:
            let isMending = streams.values.contains { $0.sender == sender && $0.isMending }
            return isMending ? .repairing : .live
        }
    }

    /// All senders, in the order in which they were added.
    public func senderStatus(now: Moment) -> [SenderStatus] {
        sessions.map { session in
            SenderStatus(
                sender: session.id, name: session.name, state: state(of: session.id),
                lasted: .microseconds(now.uptimeMicroseconds.subtractingOrZero(session.since)),
                silent: .microseconds(now.uptimeMicroseconds.subtractingOrZero(session.lastHeard)),
                lastError: session.lastError, wasLive: session.wasLive)
        }
    }

    /// All streams, by origin and topic.
    public func streamStatus(now: Moment) -> [StreamStatus] {
        streams.map { key, stream in
            let sender = state(of: stream.sender)
            return StreamStatus(
                origin: key.origin, topic: key.topic,
                state: sender == .repairing && !stream.isMending ? .live : sender,
                lasted: .microseconds(now.uptimeMicroseconds.subtractingOrZero(stream.since)),
                head: max(stream.tracker.head, stream.tracker.applied), applied: stream.applied,
                missing: stream.tracker.missingCount, holesFound: stream.holesFound, holesFilled: stream.holesFilled,
                holesMendedBySnapshot: stream.holesMendedBySnapshot,
                lastRepair: stream.lastRepairMicroseconds.map { .microseconds($0) })
        }
        .sorted { ($0.origin, $0.topic.description) < ($1.origin, $1.topic.description) }
    }
}
