import ModelCache
import ModelSync

/// Finds out why nobody greets at an endpoint: the name, the port, what listens there. libzmq tries again for ever and
/// says nothing of it. Belongs to the socket thread; looking is done elsewhere.
final class ReachWatch {
    /// What a look has brought.
    struct Finding {
        /// For a person, with what to do.
        let reason: String
        /// It is another than the last.
        let isNews: Bool
    }

    private enum Answer: Sendable {
        case none
        case looking
        case found(String?)
    }

    private final class Box: Sendable {
        let answer = Guarded(Answer.none)
    }

    private let endpoint: String
    private let hasKeys: Bool
    /// Of the looks since the last greeting.
    private var box = Box()
    /// When it is looked next; nil while the connection is greeted, or none was opened.
    private var nextLook: UInt64?
    private var pause = ReachWatch.grace
    private var told: String?

    /// A start may take so long before anything is said.
    private static let grace: UInt64 = 1_000_000
    private static let pauseMax: UInt64 = 30_000_000

    /// - Parameter hasKeys: without keys what speaks ZeroMQ there is asked whether it is a sender's control endpoint;
    ///   with keys the greeting tells more.
    init(_ endpoint: String, hasKeys: Bool) {
        self.endpoint = endpoint
        self.hasKeys = hasKeys
    }

    /// A connection was opened, perhaps once more.
    func opened(now: Moment) {
        if nextLook == nil { nextLook = now.uptimeMicroseconds + ReachWatch.grace }
    }

    /// Somebody who speaks ZeroMQ is there.
    func greeted() {
        nextLook = nil
        pause = ReachWatch.grace
        told = nil
        // A look that is under way tells of a time that is over.
        box = Box()
    }

    /// Looks, from time to time.
    /// - Returns: what has been found since the last call; nil where nothing was, or nothing is wrong.
    func look(now: Moment) -> Finding? {
        guard let time = nextLook else { return nil }
        let found = box.answer.withLock { answer -> String?? in
            guard case .found(let reason) = answer else { return nil }
            answer = .none
            return reason
        }
        if let found, let reason = found {
            defer { told = reason }
            return Finding(reason: reason, isNews: reason != told)
        }
        if now.uptimeMicroseconds >= time { begin(now: now) }
        return nil
    }

    private func begin(now: Moment) {
        nextLook = now.uptimeMicroseconds + pause
        pause = min(pause * 2, ReachWatch.pauseMax)
        let isFree = box.answer.withLock { answer in
            guard case .none = answer else { return false }
            answer = .looking
            return true
        }
        guard isFree else { return }
        let (endpoint, hasKeys, box) = (endpoint, hasKeys, box)
        Task {
            let reason =
                hasKeys ? await EndpointProbe.checkConnection(endpoint) : await EndpointProbe.diagnose(endpoint, nil)
            box.answer.withLock { $0 = .found(reason) }
        }
    }
}
