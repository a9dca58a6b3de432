import ModelCache
import ModelSync

/// Finds out why no sender answers at an endpoint: the name, the port, another program. A transport tries again for
/// ever without reporting anything. Belongs to the socket thread; the looks run in tasks.
final class ReachWatch {
    /// The result of a look.
    struct Finding {
        /// The reason in words for a person, with what to do.
        let reason: String
        /// The reason differs from the last one.
        let isNews: Bool
        /// The host says that nobody serves there.
        let isAbsence: Bool
    }

    private enum Answer: Sendable {
        case none
        case looking
        case found(EndpointFault?)
    }

    private final class Box: Sendable {
        let answer = Guarded(Answer.none)
    }

    private let endpoint: String
    private let hasKeys: Bool
    private let transport: Transport
    /// Takes the result of the looks since the last greeting.
    private var box = Box()
    /// When the next look is due; nil while the connection is greeted, and before one is opened.
    private var nextLook: UInt64?
    private var pause = ReachWatch.grace
    private var told: String?

    /// How long a sender may take to start, in microseconds, before a look is made.
    private static let grace: UInt64 = 1_000_000
    private static let pauseMax: UInt64 = 30_000_000
    /// The pause after a look that has found that nobody serves there.
    private static let absencePause = Replica.absenceMicroseconds / 2

    /// - Parameter hasKeys: without keys, a look also asks the other side whether it is a sender's control endpoint.
    ///   With keys the handshake tells more.
    init(_ endpoint: String, hasKeys: Bool, transport: Transport) {
        self.endpoint = endpoint
        self.hasKeys = hasKeys
        self.transport = transport
    }

    /// Notes that a connection was opened, for the first time or again.
    func opened(now: Moment) {
        if nextLook == nil { nextLook = now.uptimeMicroseconds + ReachWatch.grace }
    }

    /// Notes that the other side has greeted.
    func greeted() {
        nextLook = nil
        pause = ReachWatch.grace
        told = nil
        // The result of a look that is still under way is out of date.
        box = Box()
    }

    /// Begins a look when one is due.
    /// - Returns: the result since the last call; nil where there is none, or where nothing is wrong.
    func look(now: Moment) -> Finding? {
        guard let time = nextLook else { return nil }
        let found = box.answer.withLock { answer -> EndpointFault?? in
            guard case .found(let fault) = answer else { return nil }
            answer = .none
            return fault
        }
        if let found, let fault = found {
            defer { told = fault.reason }
            // An absence counts for some seconds only (`Replica.absenceMicroseconds`), so the next look comes within
            // that time.
            if fault.isAbsence {
                pause = min(pause, ReachWatch.absencePause)
                nextLook = min(time, now.uptimeMicroseconds + pause)
            }
            return Finding(reason: fault.reason, isNews: fault.reason != told, isAbsence: fault.isAbsence)
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
        let (endpoint, hasKeys, box, implementation) = (endpoint, hasKeys, box, transport.implementation)
        Task {
            let fault = await implementation.fault(at: endpoint, hasKeys: hasKeys)
            box.answer.withLock { $0 = .found(fault) }
        }
    }
}
