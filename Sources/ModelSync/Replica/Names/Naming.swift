/// How many names a replica follows and tells, and what stood where of those that it has forgotten.
struct Naming: Sendable {
    var bounds = FollowingBounds()
    /// Where the heads of all streams must fit into one message: at whoever serves others. Nil elsewhere.
    var room: HeadsRoom?
    var forgotten = ForgottenStreams()
    /// Some names that were followed are not told.
    var leavesNamesOut = false
    /// The log was told that a stream or an origin is not followed.
    var hasToldRefusal = false
    /// When others may be asked to make room again, and when names may be forgotten again.
    private var nextMakingRoom: UInt64 = 0
    private var nextForgetting: UInt64 = 0

    /// Where too few can make way it is not tried with each batch.
    private static let pauseMicroseconds: UInt64 = 1_000_000

    func mayMakeRoom(now: UInt64) -> Bool { now >= nextMakingRoom }

    /// Too few have made way.
    mutating func restFromMakingRoom(now: UInt64) { nextMakingRoom = now + Naming.pauseMicroseconds }

    /// Names may be forgotten now; not again for a while.
    mutating func takeForgetting(now: UInt64) -> Bool {
        guard now >= nextForgetting else { return false }
        nextForgetting = now + Naming.pauseMicroseconds
        return true
    }
}

/// How much of what senders claim a replica follows (protocol article, section 8).
struct FollowingBounds: Sendable {
    /// Streams of all senders.
    var streamCount = 1 << 18
    /// Where there are several senders, none begins more than one of so many parts of them: 32,768, more than find room
    /// in a frame of heads by default.
    static let senderParts = 8
    /// Origins that one sender speaks for.
    var originCount = 16_384
    /// With so many origins, names of which nothing was heard for long are forgotten.
    var nameCount = 8192
    /// How long that is: in thirty heartbeats whoever tells of a stream has told of it three times.
    var quietMicroseconds: UInt64 = 15_000_000
}
