/// Changes of one commit for members of a lane, or members whose first state is to be told.
struct SharedInboxBatch: Sendable {
    var section: ChangeSection?
    var initial: [UInt32] = []
    /// The position up to which the batch has been taken.
    var next = 0

    var count: Int { section?.count ?? initial.count }
}

/// The part of a batch that is taken at once.
struct SharedInboxPart: Sendable {
    let section: ChangeSection?
    /// The members whose first state is to be told; empty for a part with changes.
    let initial: [UInt32]
    /// The positions in the batch.
    let range: Range<Int>

    var count: Int { range.count }
}

/// The queue of a lane, in order.
struct SharedInboxWaiting: Sendable {
    private var batches = Fifo<SharedInboxBatch>()
    /// Changes that wait; first states are not counted, as there is at most one a member.
    private(set) var changeCount = 0
    /// A call of the lane's `drain()` is scheduled or at work.
    private var isDraining = false

    /// The greatest number of first states in one batch.
    private static let initialMax = 4096

    var batchCount: Int { batches.count }

    mutating func append(_ section: ChangeSection) {
        batches.append(SharedInboxBatch(section: section))
        changeCount += section.count
    }

    /// - Returns: true when the lane is to be woken.
    mutating func appendInitial(_ member: UInt32) -> Bool {
        // Looked at without keeping a reference, so that the list grows in place.
        let hasRoom =
            batches.last.map { $0.section == nil && $0.initial.count < SharedInboxWaiting.initialMax } ?? false
        if hasRoom {
            batches[batches.count - 1].initial.append(member)
        } else {
            batches.append(SharedInboxBatch(initial: [member]))
        }
        return isToBeWoken()
    }

    /// True when the caller has to wake the queue: there is something to take, and no drain is on the way.
    mutating func isToBeWoken() -> Bool {
        if isDraining || batches.isEmpty { return false }
        isDraining = true
        return true
    }

    /// Takes up to `limit` entries of one batch; nil where nothing waits, and then the drain is over.
    mutating func take(_ limit: Int) -> SharedInboxPart? {
        guard let batch = batches.first else {
            isDraining = false
            return nil
        }
        let end = min(batch.next + limit, batch.count)
        // A copy, as others may be added to the batch meanwhile.
        let part = SharedInboxPart(
            section: batch.section, initial: batch.section == nil ? Array(batch.initial[batch.next..<end]) : [],
            range: batch.next..<end)
        if batch.section != nil { changeCount -= part.count }
        if end == batch.count { _ = batches.removeFirst() } else { batches[0].next = end }
        return part
    }

    mutating func takeAll() -> [SharedInboxBatch] {
        changeCount = 0
        return batches.takeAll()
    }

    /// Puts the folded batches before those that have come since.
    mutating func putBack(_ folded: [SharedInboxBatch]) {
        batches.prepend(folded)
        for batch in folded where batch.section != nil { changeCount += batch.count - batch.next }
    }
}
