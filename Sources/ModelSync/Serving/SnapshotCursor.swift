import ModelWire

/// A snapshot that is under way to one peer: where it stands, and how many chunks may still be sent.
struct SnapshotCursor: Sendable {
    /// The rest of the snapshot; nil while a chunk is being made.
    var source: AnswerSource?
    /// Tells the snapshot from a later one with the same number.
    let serial: UInt64
    /// How many chunks may be sent.
    var credit: Int
    /// When a chunk was sent last, or credit was given to a snapshot that had none.
    var lastUse: UInt64
    /// The snapshot is among the orders of its peer.
    var isOrdered = false

    /// - Parameter heads: the heads, read before the snapshot was opened; sent at the end.
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
        // More credit is no sign of progress where a peer has credit and does not take what is sent to it.
        if credit == 0 { lastUse = now }
        credit =
            more >= SnapshotCursor.creditMax ? SnapshotCursor.creditMax : min(credit + more, SnapshotCursor.creditMax)
    }
}
