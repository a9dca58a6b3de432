public import ModelRecord
public import ModelWire

/// How batches are pushed.
public struct PusherConfiguration: Sendable {
    /// When a batch counts as delivered.
    public enum Acknowledgement: String, Sendable, CaseIterable {
        /// One relay has acknowledged it.
        case any
        /// All relays have acknowledged it.
        case every
    }

    public var acknowledgement: Acknowledgement
    /// How many batches may be on their way to one relay, unacknowledged.
    public var windowCount: Int
    /// A batch that has not been answered for this long is sent again.
    public var requestTimeout: Duration
    /// The first pause after a failure; it doubles up to ``pauseMax``.
    public var pause: Duration
    public var pauseMax: Duration
    /// More bytes than this are not kept: see ``Pusher/isFull``.
    public var byteCountMax: Int
    public var limits: WireLimits

    public init(
        acknowledgement: Acknowledgement = .any, windowCount: Int = 64, requestTimeout: Duration = .seconds(2),
        pause: Duration = .milliseconds(100), pauseMax: Duration = .seconds(5), byteCountMax: Int = 64 << 20,
        limits: WireLimits = .default
    ) {
        self.acknowledgement = acknowledgement
        self.windowCount = max(windowCount, 1)
        self.requestTimeout = requestTimeout
        self.pause = pause
        self.pauseMax = pauseMax
        self.byteCountMax = byteCountMax
        self.limits = limits
    }

    /// In microseconds: the pause after so many before it.
    func pause(after pauses: Int) -> UInt64 {
        min(pause.wholeMicroseconds << UInt64(min(pauses, 16)), pauseMax.wholeMicroseconds)
    }
}

/// What a pusher wants done.
public enum PusherAction: Sendable {
    /// Send one frame on the relay's control socket.
    case request(relay: Int, payload: [UInt8])
    /// Close the control connection to the relay and open it anew, then call `connected`.
    case reconnect(relay: Int)
    /// A relay lacks what earlier starts have written of these models: have the origin send that again
    /// (``Origin/sendAgain(_:type:now:)``), push the batches, and tell what it could not send
    /// (``Pusher/cannotSendAgain(_:type:reason:)``).
    case sendAgain(type: String, ids: [String])
    /// A relay refuses a batch because its stamp lies too far ahead of the relay's clock. Where the origin starts anew
    /// for that (``Origin/startAnewIfRefused(taken:now:)``) call ``Pusher/beginAnew(giving:)``, else
    /// ``Pusher/tryAgain(_:)``.
    case clockRefused(ClockRefusal)
    /// Something that a person should hear of; for the log.
    case notice(Notice)
}

/// A relay does not take a batch for its stamp.
public struct ClockRefusal: Sendable {
    public let relay: Int
    /// The start of the origin that the batch is of.
    public let incarnation: UInt64
    /// What the relay says.
    public let reason: String
    /// The greatest stamp that any relay has acknowledged.
    public let taken: Stamp
}

/// How things stand with one relay.
public struct PushStatus: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// The connection is being opened.
        case connecting
        /// Batches go out as acknowledgements come.
        case pushing
        /// After a failure, until the pause is over.
        case pausing
        /// The relay refuses for good, or has lost what it had acknowledged: nothing more is sent to it.
        case failed(String)
    }

    public let state: State
    /// Batches that this relay has not acknowledged.
    public let unacknowledged: Int
    public let acknowledged: UInt64
    /// Batches that were sent more than once.
    public let resent: UInt64
    /// All that earlier starts of the publisher have written is there, or among the unacknowledged batches.
    public let isCompared: Bool
    public let lastError: String?
}
