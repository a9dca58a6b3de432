/// The types whose digests a relay does not tell, because a sent batch may be missing: peers would find the same
/// difference again and again.
///
/// A type in which something is missing for long is told all the same. A sender that makes up heads, or never ends its
/// copy, would otherwise keep from ever being noticed what this copy lacks or has too much.
struct MuteTypes: Sendable {
    /// Since when something has been missing in each type, on the clock of ``Moment/uptimeMicroseconds``.
    private var since: [String: UInt64] = [:]

    /// For how long a type is mute: for about as long as a copy is awaited, which takes longest of what mends it.
    private static let patienceMicroseconds: UInt64 = 30_000_000

    /// Returns whether the type is mute, and notes whether something is missing in it.
    mutating func isMute(_ type: String, isMending: Bool, now: UInt64) -> Bool {
        guard isMending else {
            since[type] = nil
            return false
        }
        let begun = since[type] ?? now
        since[type] = begun
        return now.subtractingOrZero(begun) < MuteTypes.patienceMicroseconds
    }
}
