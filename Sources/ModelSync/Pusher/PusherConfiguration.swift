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
