import Logging
import ModelRecord
import ModelSync

/// The log of a state machine's notices, bounded in what a peer can make it write. It belongs to the thread of its
/// machine.
///
/// Of each kind, sixty-four lines may come at once and one a second after that. What is left out is counted, and told
/// with the next line of its kind that is written.
final class NoticeLog {
    private struct Room {
        var lines = TokenBucket()
        var leftOutCount = 0
    }

    private let logger: Logger
    /// Gets what concerns rights, in place of ``logger``.
    private let audit: Logger
    private var rooms: [Notice.Kind: Room] = [:]

    private static let rate = RequestBudget.Rate(burst: 64, perSecond: 1)

    /// - Parameter access: its audit log gets what concerns rights, where it has one.
    init(_ logger: Logger, _ access: Access?) {
        self.logger = logger
        audit = access?.audit ?? logger
    }

    /// Logs a notice, if there is room. Each value stays on one line, also where a peer has chosen it.
    func log(_ notice: Notice, now: Moment) {
        let logger = notice.kind.concernsRights ? audit : logger
        guard logger.logLevel <= notice.kind.level, let leftOutCount = takeRoom(notice.kind, now) else { return }
        var metadata: Logger.Metadata = [:]
        for (key, value) in notice.metadata { metadata[key] = "\(value.shown())" }
        if leftOutCount > 0 { metadata["left_out"] = "\(leftOutCount)" }
        logger.log(level: notice.kind.level, "\(notice.kind.rawValue)", metadata: metadata)
    }

    /// Takes the room of one line.
    /// - Returns: how many lines of the kind were left out since the last one; nil where there is no room.
    private func takeRoom(_ kind: Notice.Kind, _ now: Moment) -> Int? {
        var room = rooms[kind] ?? Room()
        defer { rooms[kind] = room }
        guard room.lines.take(of: NoticeLog.rate, at: now.uptimeMicroseconds) else {
            room.leftOutCount += 1
            return nil
        }
        defer { room.leftOutCount = 0 }
        return room.leftOutCount
    }
}

extension Notice.Kind {
    fileprivate var concernsRights: Bool {
        [
            .denied, .deniedPush, .unsigned, .notAsSigned, .olderThanSigned, .unconfirmedCopy, .nameTaken, .limited,
            .laterStart,
        ].contains(self)
    }

    /// Libraries log at info or below. Only a notice that needs an operator is a warning, or tells that one is over.
    fileprivate var level: Logger.Level {
        switch self {
        case .incarnationConflict, .versionMismatch, .digestMismatch, .clockRejected, .ownReflection, .laterStart,
            .clockAhead, .clockRenewed, .pushFailed, .quarantined, .unstaged, .irreparable, .incompleteTransactions,
            .streamsRefused, .contradictedHeads, .denied, .deniedPush, .unsigned, .notAsSigned, .unconfirmedCopy,
            .olderThanSigned, .unsendable, .cutClients, .unreadable, .clockAccepted,
            .fetchOverrun:
            .warning
        case .senderLive, .senderSilent, .senderStopped, .newIncarnation, .senderRefused, .startingAnew, .startedAnew,
            .streamsStale, .streamsFresh, .leasesEnded, .leasesReturned:
            .info
        case .nameTaken, .limited: .notice
        case .holeFound, .holeMended, .malformed: .debug
        }
    }
}
