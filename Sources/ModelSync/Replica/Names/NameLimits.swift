/// How many names a replica follows and tells, how far the streams of the forgotten ones stood, and how many types it
/// has.
struct NameLimits: Sendable {
    var bounds = FollowingBounds()
    /// The room for the heads of all streams in one message, at a process that serves others. Nil elsewhere.
    var room: HeadsBudget?
    var forgotten = ForgottenStreams()
    var types = TypeRoom()
    /// Some names that were followed are not told.
    var leavesNamesOut = false
    /// The log was told that a stream or an origin is not followed.
    var hasToldRefusal = false
    /// When names may next be made to give way, and when names may next be forgotten.
    private var nextMakingRoom: UInt64 = 0
    private var nextForgetting: UInt64 = 0

    /// The pause between two attempts to make room, or to forget names. Where too few names can give way, an attempt
    /// with each batch would cost too much.
    private static let pauseMicroseconds: UInt64 = 1_000_000

    /// Since when no stream that was met has found room; nil where the last one has.
    private var fullSince: UInt64?

    /// Takes a stream into what is told, where there is room.
    mutating func admits(_ key: StreamKey, isPushed: Bool) -> Bool {
        guard room?.admit(key, isPushed: isPushed) != false else { return false }
        fullSince = nil
        return true
    }

    /// Takes note that a stream has found no room.
    mutating func noteFull(now: UInt64) { fullSince = fullSince ?? now }

    /// No stream has found room for twice as long as it takes for a name to be idle.
    func isFullForLong(now: UInt64) -> Bool {
        fullSince.map { now.subtractingOrZero($0) >= 2 * bounds.quietMicroseconds } ?? false
    }

    func mayMakeRoom(now: UInt64) -> Bool { now >= nextMakingRoom }

    /// Puts off the next attempt, because too few names have given way.
    mutating func restFromMakingRoom(now: UInt64) { nextMakingRoom = now + NameLimits.pauseMicroseconds }

    /// Whether names may be forgotten now; if so, not again for a while.
    mutating func takeForgetting(now: UInt64) -> Bool {
        guard now >= nextForgetting else { return false }
        nextForgetting = now + NameLimits.pauseMicroseconds
        return true
    }
}

/// How much of what senders claim a replica follows (protocol article, section 8).
struct FollowingBounds: Sendable {
    /// How many streams of all senders are followed.
    var streamCount = 1 << 18
    /// Where there are several senders, none begins more than this part of the streams: 32,768, which is more than find
    /// room in a frame of heads by default.
    static let senderParts = 8
    /// How many origins one sender may speak for.
    var originCount = 16_384
    /// With this many origins, names of which nothing was heard for long are forgotten.
    var nameCount = 8192
    /// How long nothing was heard of such names: in thirty heartbeats a sender that tells of a stream has told of it
    /// three times.
    var quietMicroseconds: UInt64 = 15_000_000
}
