import ModelWire

/// A snapshot under way to one peer: where it stands, and how many chunks may still be sent.
struct SnapshotCursor: Sendable {
    /// Where it stands; nil while a chunk is being made.
    var source: AnswerSource?
    /// Tells it from a later one with the same number.
    let serial: UInt64
    /// How many chunks may be sent.
    var credit: Int
    /// When a chunk was sent last, or credit given to one that had none.
    var lastUse: UInt64
    /// It is among the orders of its peer.
    var isOrdered = false

    /// - Parameter heads: read before the snapshot was opened; sent at the end.
    init(_ walk: SnapshotWalk, serial: UInt64, heads: [Heads], credit: Int, now: UInt64) {
        source = .snapshot(walk, heads: heads)
        self.serial = serial
        lastUse = now
        self.credit = min(credit, SnapshotCursor.creditMax)
    }

    /// The most chunks that may be on their way unacknowledged (protocol article, section 5).
    static let creditMax = 64

    mutating func add(credit more: Int, now: UInt64) {
        guard more > 0 else { return }
        // Of one that has credit and does not take what is sent to it more credit is no use.
        if credit == 0 { lastUse = now }
        credit =
            more >= SnapshotCursor.creditMax ? SnapshotCursor.creditMax : min(credit + more, SnapshotCursor.creditMax)
    }
}
