import Synchronization

/// The age of a copy, measured by the beats that publishers write at an even pace.
final class BeatGaps: Sendable {
    private struct State {
        var lastSentAt: [String: UInt64] = [:]
        var longest: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Notes a beat of `id` that has come. Until now the copy was as old as the beat before it.
    /// - Returns: that age in nanoseconds; 0 for the first beat.
    @discardableResult
    func note(_ id: String, sentAt: UInt64, now: UInt64) -> UInt64 {
        state.withLock { state in
            let last = state.lastSentAt.updateValue(sentAt, forKey: id) ?? now
            let age = now > last ? now - last : 0
            state.longest = max(state.longest, age)
            return age
        }
    }

    /// The greatest age so far.
    var longestMilliseconds: UInt64 { state.withLock { $0.longest / 1_000_000 } }
}
