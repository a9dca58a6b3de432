/// For how long a sender is left out of fetches after it has failed in one: longer with each time, until it answers.
struct FetchBackOff {
    enum Failure {
        /// Records of the answer were left out for their clocks, and may be taken the next time.
        case clock
        /// The sender was too busy, or denies it.
        case refusal
        /// The sender did not answer in time.
        case silence
        /// The sender brought more than an answer can have, or sends too slowly.
        case abuse
    }

    /// When it is asked again.
    private(set) var until: UInt64 = 0
    private var failureCount = 0
    /// When it failed first since it has answered last, and when last.
    private var failingSince: UInt64 = 0
    private var failedAt: UInt64 = 0

    /// The sender has failed so often, and for so long, that it does not count any more. An honest one that is stopped
    /// or cut off is not live by then.
    func isGivenUp(at time: UInt64) -> Bool {
        failureCount >= 3 && time.subtractingOrZero(failingSince) >= FetchBackOff.honestMicroseconds
    }

    private static let honestMicroseconds: UInt64 = 6_000_000

    /// Takes note of a failure.
    /// - Parameter askedAt: when the sender was asked. Requests that were open when another failed tell nothing new.
    mutating func note(_ failure: Failure, askedAt: UInt64, at time: UInt64) {
        guard failureCount == 0 || askedAt >= failedAt else { return }
        failedAt = time
        let (first, last): (UInt64, UInt64) =
            switch failure {
            case .clock, .refusal: (50_000, 2_000_000)
            case .silence: (1_000_000, 30_000_000)
            case .abuse: (10_000_000, 60_000_000)
            }
        until = time + min(first << UInt64(min(failureCount, 10)), last)
        if failure == .clock { return }
        if failureCount == 0 { failingSince = time }
        failureCount += 1
    }

    mutating func noteAnswer() { failureCount = 0 }
}
