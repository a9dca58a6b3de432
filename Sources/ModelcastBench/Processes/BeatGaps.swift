import Synchronization

/// How old a copy became: the times between the writes that a publisher makes at an even pace and their arrival here.
final class BeatGaps: Sendable {
    private struct State {
        var lastSentAt: [String: UInt64] = [:]
        var longest: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A beat of `id` has come. Until now the copy was as old as the one before it. Nanoseconds.
    /// - Returns: how old it was; 0 for the first.
    @discardableResult
    func note(_ id: String, sentAt: UInt64, now: UInt64) -> UInt64 {
        state.withLock { state in
            let last = state.lastSentAt.updateValue(sentAt, forKey: id) ?? now
            let age = now > last ? now - last : 0
            state.longest = max(state.longest, age)
            return age
        }
    }

    /// The greatest age.
    var longestMilliseconds: UInt64 { state.withLock { $0.longest / 1_000_000 } }
}
