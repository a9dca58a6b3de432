import ModelCache
import ModelRecord
import ModelWire

/// An answer, or the rest of one: messages that are made one by one, when they can leave.
///
/// An answer does not change with the copy of its owner, so a message is made beside the writers, under no lock.
enum AnswerSource: Sendable {
    /// The records of a snapshot, and at the end the heads that were read before it.
    case snapshot(SnapshotWalk, heads: [Heads])
    /// Replies that are known, but not encoded.
    case replies(ArraySlice<ControlReply>)
    /// Digests that are finer than those which are kept: to make them means to look at all models of the type.
    case digests(Snapshot, type: String, bits: Int, heads: [Heads])

    static let nothing = AnswerSource.replies([])

    var isAtEnd: Bool {
        guard case .replies(let replies) = self else { return false }
        return replies.isEmpty
    }

    /// Takes the next reply; nil at the end.
    /// - Parameter byteCount: how many bytes a message of small records takes.
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

    /// The models of which fields were left out since the last call.
    mutating func takeUnsendable() -> [RecordChunking.Unsendable] {
        guard case .snapshot(var walk, let heads) = self else { return [] }
        self = .nothing
        defer { self = .snapshot(walk, heads: heads) }
        return walk.takeUnsendable()
    }
}

extension ControlReply {
    /// The type of the records that the reply carries; nil where it carries none.
    var recordType: String? {
        switch self {
        case .records(_, let type, _), .part(_, let type, _): type
        default: nil
        }
    }
}
