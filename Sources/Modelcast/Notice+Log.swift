import Logging
import ModelSync

extension Logger {
    /// Writes what a state machine wants a person to hear of.
    func log(_ notice: Notice) {
        var metadata: Logger.Metadata = [:]
        for (key, value) in notice.metadata { metadata[key] = "\(value)" }
        log(level: notice.kind.level, "\(notice.kind.rawValue)", metadata: metadata)
    }
}

extension Notice.Kind {
    /// Libraries log at info or below; what an operator must act on is a warning.
    fileprivate var level: Logger.Level {
        switch self {
        case .incarnationConflict, .versionMismatch, .digestMismatch, .clockRejected, .ownReflection, .laterStart,
            .pushFailed, .quarantined, .unstaged, .irreparable, .incompleteTransactions,
            .streamsRefused:
            .warning
        case .senderLive, .senderSilent, .senderStopped, .newIncarnation, .senderRefused, .startingAnew, .startedAnew,
            .streamsStale, .streamsFresh:
            .info
        case .holeFound, .holeMended, .malformed: .debug
        }
    }
}
