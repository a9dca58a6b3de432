import ModelWire

/// The hand-shake with one sender, step by step (protocol article, section 6), and what is done when a step takes too
/// long.
///
/// ```
/// disconnected ─▶ greeting ─▶ barrier ─▶ snapshot ─▶ synced
///      ▲              │           │  └─── stored state ──▲ │
///      └──────────────┴───────────┴── silence, bye ──────┴─┘
/// ```
struct HandShake: Sendable {
    enum Step: Equatable {
        /// The control connection is being opened by the runtime.
        case disconnected
        /// `hello` was sent.
        case greeting
        /// The stream is subscribed to; `heads` on the barrier topic are awaited.
        case barrier
        /// The snapshot with this request id is under way.
        case snapshot(rid: UInt64)
        /// The sender's copy is here: the sender is live.
        case synced
    }

    /// The next step after a `welcome`.
    enum Welcome: Equatable {
        /// No welcome is awaited.
        case ignored
        /// The sender answers in a version that this side does not speak, or has not asked for.
        case otherVersion
        case goOn
    }

    /// The next step where the time of one is up.
    enum Due: Equatable {
        case nothing
        /// The third request has had no answer: the connection is given up, as libzmq may have given it up for good.
        case giveUp
        /// The request of the step is sent again.
        case greet, raiseBarrier
        /// The snapshot with this request id is cancelled, and another is asked for.
        case askAgain(rid: UInt64)
    }

    private(set) var step = Step.disconnected
    /// When the step began.
    private(set) var since: UInt64 = 0
    /// When the step is given up and repeated.
    private(set) var deadline: UInt64?
    /// How often the step was repeated.
    private(set) var attempts = 0
    /// The version of the protocol that was asked for; once the sender has welcomed, the one that both speak.
    private(set) var version = ProtocolVersions.current.newest
    /// Contact was lost, and the sender is not live again. A sender that was never live has brought nothing that could
    /// be stale: it is still connecting.
    private(set) var isStale = false
    /// The sender was live at least once.
    private(set) var wasLive = false
    /// How long the first request of a step is waited for.
    private let timeoutMicroseconds: UInt64

    private static let attemptCountMax = 2

    /// - Parameter timeoutMicroseconds: how long the first request of a step is waited for. It doubles with each
    ///   repetition.
    init(timeoutMicroseconds: UInt64) { self.timeoutMicroseconds = timeoutMicroseconds }

    var isSynced: Bool { step == .synced }

    /// The first snapshot of a connection is on its way.
    var isSyncing: Bool {
        switch step {
        case .barrier, .snapshot: true
        case .disconnected, .greeting, .synced: false
        }
    }

    /// Reports reach the sender: it has been welcomed.
    var isWelcomed: Bool { isSyncing || isSynced }

    private mutating func enter(_ step: Step, at time: UInt64, timeout: UInt64?) {
        (self.step, since) = (step, time)
        deadline = timeout.map { time + $0 }
    }

    private var timeout: UInt64 { timeoutMicroseconds << UInt64(min(attempts, 3)) }

    /// The control connection has been opened.
    mutating func connect(_ versions: ProtocolVersions) { (attempts, version) = (0, versions.newest) }

    /// `hello` is sent now.
    mutating func greet(at time: UInt64) { enter(.greeting, at: time, timeout: timeout) }

    /// The sender has refused the version that was asked for.
    /// - Returns: whether `hello` is to be sent in the version before. If none is left the next try begins with the
    ///   newest again: the sender may have been exchanged.
    mutating func refuseVersion(_ versions: ProtocolVersions) -> Bool {
        guard step == .greeting else { return false }
        guard let older = versions.next(after: version) else {
            version = versions.newest
            return false
        }
        version = older
        return true
    }

    mutating func welcome(in answered: UInt64, _ versions: ProtocolVersions) -> Welcome {
        guard step == .greeting else { return .ignored }
        guard versions.takes(answered, asked: version) else { return .otherVersion }
        (version, attempts) = (answered, 0)
        return .goOn
    }

    /// A barrier is subscribed to now.
    mutating func raiseBarrier(at time: UInt64) { enter(.barrier, at: time, timeout: timeout) }

    /// The barrier was answered.
    /// - Returns: false where none is awaited.
    mutating func passBarrier() -> Bool {
        guard step == .barrier else { return false }
        attempts = 0
        return true
    }

    /// The sender's whole copy is asked for now.
    mutating func askForCopy(_ rid: UInt64, at time: UInt64) { enter(.snapshot(rid: rid), at: time, timeout: timeout) }

    /// The copy is asked for after a pause: what came cannot be taken yet.
    mutating func pause(_ microseconds: UInt64, rid: UInt64, at time: UInt64) {
        attempts = 0
        enter(.snapshot(rid: rid), at: time, timeout: microseconds)
    }

    /// A part of the copy has come, so the next one is waited for as long as the third request of a step.
    mutating func goOn(at time: UInt64) { deadline = time + timeoutMicroseconds << 3 }

    /// The sender's copy is here, or is not needed.
    mutating func becomeLive(at time: UInt64) {
        enter(.synced, at: time, timeout: nil)
        (isStale, wasLive, attempts) = (false, true, 0)
    }

    /// Contact is lost.
    mutating func lose(at time: UInt64) {
        enter(.disconnected, at: time, timeout: nil)
        isStale = wasLive
    }

    /// Looks whether the time of the step is up.
    mutating func review(at time: UInt64) -> Due {
        guard let deadline, time >= deadline else { return .nothing }
        guard attempts < HandShake.attemptCountMax else {
            attempts = 0
            return .giveUp
        }
        attempts += 1
        switch step {
        case .disconnected, .synced: return .nothing
        case .greeting: return .greet
        case .barrier: return .raiseBarrier
        case .snapshot(let rid): return .askAgain(rid: rid)
        }
    }
}
