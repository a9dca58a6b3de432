import ModelCache
import ModelRecord
import ModelWire

/// One message that is to be made for one peer. The machine lends it, its owner makes the message under no lock, and
/// hands the turn back.
public struct AnswerTurn: Sendable {
    /// The result of making the message.
    enum TurnResult: Sendable {
        /// Nothing was made, because the answer was at its end.
        case ended
        /// A message of so many bytes was made.
        case made(Int)
        /// A message of so many bytes has no room yet, and will be made again.
        case lacksRoom(Int)
        /// The message would have so many bytes, which no frame can carry.
        case tooLarge(Int)
    }

    /// The routing identity of the peer.
    public let peer: [UInt8]
    let rid: UInt64
    /// Tells a snapshot from a later one with the same number; nil for other answers.
    let serial: UInt64?
    var source: AnswerSource
    let room: AnswersUnderWay.Room
    let frameByteCount: Int
    var result = TurnResult.ended
    /// The models of which fields were left out, with their types.
    var unsendable: [(type: String, RecordChunking.Unsendable)] = []

    init(
        _ peer: [UInt8], _ rid: UInt64, serial: UInt64? = nil, _ source: AnswerSource, _ room: AnswersUnderWay.Room,
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
            result = .tooLarge(payload.count)
            return nil
        }
        guard payload.count <= room.byteCountMax else {
            source = before
            result = .lacksRoom(payload.count)
            return nil
        }
        if let type = reply.recordType { unsendable = source.takeUnsendable().map { (type, $0) } }
        result = .made(payload.count)
        return payload
    }
}
