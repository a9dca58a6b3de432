import ModelRecord
import ModelWire

/// When a relay last heard of each origin itself. Ages may only grow on the way from relay to relay.
///
/// A relay tells the last stamp of the origin itself in `heads`. What comes back in a loop of relays has no greater
/// stamp than the known one, so it is no news of the origin. A dead origin therefore grows old everywhere. A sender
/// that tells greater stamps than there are, and that they are old, makes no news of the others old: a lesser stamp
/// counts where it is news from its sender.
struct SourceTable: Sendable {
    struct Source: Sendable {
        var incarnation: UInt64 = 0
        /// The greatest stamp that the origin is said to have told.
        var stamp: Stamp = 0
        /// The greatest stamp of what the origin itself has pushed here.
        var pushedStamp: Stamp = 0
        /// When the origin was heard of with that stamp, on the clock of ``Moment/uptimeMicroseconds``.
        var lastHeard: UInt64
        /// The greatest stamp that each sender has told of the origin, by the sender's index, since the origin itself
        /// was heard of.
        fileprivate var words: [Int: Stamp] = [:]
        /// The stamp of the last bye of the origin.
        var byeStamp: Stamp?
    }

    private(set) var byOrigin: [String: Source] = [:]

    subscript(origin: String) -> Source? { byOrigin[origin] }

    /// Takes note of an origin of which something has come, which may be old.
    mutating func meet(_ origin: String, at time: UInt64) {
        if byOrigin[origin] == nil { byOrigin[origin] = Source(lastHeard: time) }
    }

    /// Takes note of heads, from the origin itself or from a relay that speaks for it.
    mutating func note(_ heads: Heads, from sender: SenderID, at time: UInt64) {
        var source = byOrigin[heads.origin] ?? Source(lastHeard: time)
        guard heads.stamp > source.words[sender.index] ?? 0, heads.stamp != source.stamp else { return }
        source.words[sender.index] = heads.stamp
        let age = (heads.ageMilliseconds ?? 0).multipliedOrMax(by: 1000)
        let heard = heads.isRelayed ? time.subtractingOrZero(age) : time
        source.lastHeard = source.stamp == 0 ? heard : max(source.lastHeard, heard)
        source.stamp = max(source.stamp, heads.stamp)
        source.incarnation = max(source.incarnation, heads.incarnation)
        byOrigin[heads.origin] = source
    }

    /// Takes note of heads from the origin itself. What others have told of its clock counts no longer.
    mutating func decide(_ heads: Heads, at time: UInt64) {
        var source = byOrigin[heads.origin] ?? Source(lastHeard: time)
        (source.lastHeard, source.stamp, source.incarnation) = (time, heads.stamp, heads.incarnation)
        source.words = [:]
        byOrigin[heads.origin] = source
    }

    /// Takes note that the origin has pushed. What others have told of its clock counts no longer.
    mutating func notePush(of origin: String, incarnation: UInt64, stamp: Stamp, at time: UInt64) {
        var source = byOrigin[origin] ?? Source(lastHeard: time)
        guard stamp > source.pushedStamp else { return }
        (source.lastHeard, source.stamp, source.pushedStamp) = (time, stamp, stamp)
        source.incarnation = max(source.incarnation, incarnation)
        source.words = [:]
        byOrigin[origin] = source
    }

    mutating func forget(_ origins: [String]) {
        for origin in origins { byOrigin[origin] = nil }
    }

    /// Takes note of a bye.
    /// - Returns: false when the bye is known already, or of an earlier start.
    mutating func note(_ bye: Bye) -> Bool {
        guard var source = byOrigin[bye.origin], bye.incarnation >= source.incarnation,
            source.byeStamp.map({ $0 < bye.stamp }) ?? true
        else { return false }
        source.byeStamp = bye.stamp
        byOrigin[bye.origin] = source
        return true
    }
}
