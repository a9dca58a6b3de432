public import ModelWire

/// How batches are pushed.
public struct PusherConfiguration: Sendable {
    /// When a batch counts as delivered.
    public enum Acknowledgement: String, Sendable, CaseIterable {
        /// One relay has acknowledged the batch.
        case any
        /// All relays have acknowledged the batch.
        case every
    }

    /// How many relays must acknowledge a batch.
    public var acknowledgement: Acknowledgement
    /// How many batches may be on their way to one relay, unacknowledged.
    public var windowCount: Int
    /// A batch that has not been answered for this long is sent again.
    public var requestTimeout: Duration
    /// The first pause after a failure; it doubles up to ``pauseMax``.
    public var pause: Duration
    /// The longest pause after a failure.
    public var pauseMax: Duration
    /// How many bytes of batches are kept until they are acknowledged. With more no write is taken until some are.
    public var byteCountMax: Int
    /// The limits of what a batch and a reply may hold.
    public var limits: WireLimits

    /// The defaults. The window is at least one batch.
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

    /// The pause, in microseconds, after so many pauses before it.
    func pause(after pauses: Int) -> UInt64 {
        min(pause.wholeMicroseconds << UInt64(min(pauses, 16)), pauseMax.wholeMicroseconds)
    }
}
