import ModelCache
import ModelRecord
import ModelWire

/// An answer, or what is left of it: messages that are made one by one, when they can leave.
///
/// Nothing in it changes with the copy of the owner, so a message is made beside whoever writes, under no lock.
enum AnswerSource: Sendable {
    /// The records of a snapshot, and at the end the heads that were read before it.
    case snapshot(SnapshotWalk, heads: [Heads])
    /// Replies that are known, but not encoded.
    case replies(ArraySlice<ControlReply>)
    /// Digests that are finer than those which are kept: they look at all models of the type.
    case digests(Snapshot, type: String, bits: Int, heads: [Heads])

    static let nothing = AnswerSource.replies([])

    var isAtEnd: Bool {
        guard case .replies(let replies) = self else { return false }
        return replies.isEmpty
    }

    /// Takes the next reply; nil at the end.
    /// - Parameter byteCount: what a message of small records takes.
    mutating func next(rid: UInt64, byteCount: Int) -> ControlReply? {
        // Taken out while it changes, so that it is not copied.
        let source = self
        self = .nothing
        switch source {
        case .snapshot(var walk, let heads):
            guard let reply = walk.next(rid: rid, byteCount: byteCount) else {
                return .complete(rid: rid, heads: heads)
            }
            self = .snapshot(walk, heads: heads)
            return reply
        case .replies(var replies):
            let reply = replies.popFirst()
            self = .replies(replies)
            return reply
        case .digests(let snapshot, let type, let bits, let heads):
            return .digests(rid: rid, heads: heads, digests: snapshot.digests(of: type, bits: bits))
        }
    }

    /// The models of which fields were left out since this was asked last.
    mutating func takeUnsendable() -> [RecordChunking.Unsendable] {
        guard case .snapshot(var walk, let heads) = self else { return [] }
        self = .nothing
        defer { self = .snapshot(walk, heads: heads) }
        return walk.takeUnsendable()
    }
}

/// One message for one peer that is to be made: lent by the machine, made by whoever owns it, under no lock, and handed
/// back.
public struct AnswerTurn: Sendable {
    /// The outcome of making the message.
    enum Outcome: Sendable {
        /// Nothing was made: the answer was at its end.
        case ended
        /// A message of so many bytes.
        case made(Int)
        /// A message of so many bytes, for which there is no room yet. It will be made again.
        case lacksRoom(Int)
        /// A message that no frame can carry would have so many bytes.
        case tooLarge(Int)
    }

    /// Whose turn it is: the routing identity.
    public let peer: [UInt8]
    let rid: UInt64
    /// Tells a snapshot from a later one with the same number; nil for what is no snapshot.
    let serial: UInt64?
    var source: AnswerSource
    let room: UnderWay.Room
    let frameByteCount: Int
    var outcome = Outcome.ended
    /// The models of which fields were left out, with their types.
    var unsendable: [(type: String, RecordChunking.Unsendable)] = []

    init(
        _ peer: [UInt8], _ rid: UInt64, serial: UInt64? = nil, _ source: AnswerSource, _ room: UnderWay.Room,
        _ limits: WireLimits
    ) {
        (self.peer, self.rid, self.serial, self.source, self.room) = (peer, rid, serial, source, room)
        frameByteCount = limits.frameByteCount
    }

    /// Makes the message; nil where none is to be sent now.
    public mutating func make() -> [UInt8]? {
        let before = source
        guard let reply = source.next(rid: rid, byteCount: room.chunkByteCount) else { return nil }
        let payload = reply.encode()
        guard payload.count <= frameByteCount else {
            outcome = .tooLarge(payload.count)
            return nil
        }
        guard payload.count <= room.byteCountMax else {
            source = before
            outcome = .lacksRoom(payload.count)
            return nil
        }
        if let type = reply.recordType { unsendable = source.takeUnsendable().map { (type, $0) } }
        outcome = .made(payload.count)
        return payload
    }
}

extension ControlReply {
    /// The type of the records that it carries.
    fileprivate var recordType: String? {
        switch self {
        case .records(_, let type, _), .part(_, let type, _): type
        default: nil
        }
    }
}

/// The next step for peers that wait for answers.
public enum NextAnswer: Sendable {
    /// A message is to be made and sent.
    case turn(AnswerTurn)
    /// These connections are to be closed: they take nothing and hold memory that others need.
    case cut([[UInt8]])
    /// Nothing, or only what waits until messages have been taken.
    case nothing
}
