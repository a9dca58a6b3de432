import Logging
import ModelRecord
import ModelSync

extension Logger {
    /// Logs a notice of a state machine. Each value stays on one line, also where a peer has chosen it.
    func log(_ notice: Notice) {
        guard logLevel <= notice.kind.level else { return }
        var metadata: Logger.Metadata = [:]
        for (key, value) in notice.metadata { metadata[key] = "\(value.shown())" }
        log(level: notice.kind.level, "\(notice.kind.rawValue)", metadata: metadata)
    }
}

extension Notice.Kind {
    /// Libraries log at info or below. Only a notice that needs an operator is a warning.
    fileprivate var level: Logger.Level {
        switch self {
        case .incarnationConflict, .versionMismatch, .digestMismatch, .clockRejected, .ownReflection, .laterStart,
            .clockAhead, .clockRenewed,
            .pushFailed, .quarantined, .unstaged, .irreparable, .incompleteTransactions,
            .streamsRefused, .contradictedHeads, .unsendable, .cutClients:
            .warning
        case .senderLive, .senderSilent, .senderStopped, .newIncarnation, .senderRefused, .startingAnew, .startedAnew,
            .streamsStale, .streamsFresh, .clockAccepted:
            .info
        case .holeFound, .holeMended, .malformed: .debug
        }
    }
}
