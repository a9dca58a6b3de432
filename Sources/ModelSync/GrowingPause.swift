/// A pause after each turn of something, twice as long each time.
struct GrowingPause: Sendable {
    private var next: UInt64 = 0
    private var length: UInt64 = 0

    private static let lengthMin: UInt64 = 10_000_000
    private static let lengthMax: UInt64 = 600_000_000

    /// The pause since the last turn is over.
    func isOver(at time: UInt64) -> Bool { time >= next }

    /// Takes a turn, unless the pause since the last one is not over.
    /// - Parameter time: the time on the clock of ``Moment/uptimeMicroseconds``.
    @discardableResult
    mutating func takeTurn(at time: UInt64) -> Bool {
        guard isOver(at: time) else { return false }
        length = min(max(length * 2, GrowingPause.lengthMin), GrowingPause.lengthMax)
        next = time + length
        return true
    }
}
