/// Changes of one commit for members of a lane, or members whose first state is to be told.
struct LaneBatch: Sendable {
    var section: ChangeSection?
    var initial: [UInt32] = []
    /// The position up to which the batch has been taken.
    var next = 0

    var count: Int { section?.count ?? initial.count }
}

/// The part of a batch that is taken at once.
struct LanePart: Sendable {
    let section: ChangeSection?
    /// The members whose first state is to be told; empty for a part with changes.
    let initial: [UInt32]
    /// The positions in the batch.
    let range: Range<Int>

    var count: Int { range.count }
}

/// The queue of a lane, in order.
struct LaneWaiting: Sendable {
    private var batches: [LaneBatch] = []
    /// The first batch that is not empty.
    private var head = 0
    /// Changes that wait; first states are not counted, as there is at most one a member.
    private(set) var changeCount = 0
    /// A call of the lane's `drain()` is scheduled or at work.
    private var isDraining = false

    /// The greatest number of first states in one batch.
    private static let initialMax = 4096

    var batchCount: Int { batches.count - head }

    mutating func append(_ section: ChangeSection) {
        batches.append(LaneBatch(section: section))
        changeCount += section.count
    }

    /// - Returns: true when the lane is to be woken.
    mutating func appendInitial(_ member: UInt32) -> Bool {
        if let last = batches.indices.last, last >= head, batches[last].section == nil,
            batches[last].initial.count < LaneWaiting.initialMax
        {
            batches[last].initial.append(member)
        } else {
            batches.append(LaneBatch(initial: [member]))
        }
        return isToBeWoken()
    }

    /// True when the caller has to wake the queue: there is something to take, and no drain is on the way.
    mutating func isToBeWoken() -> Bool {
        if isDraining || batchCount == 0 { return false }
        isDraining = true
        return true
    }

    /// Takes up to `limit` entries of one batch; nil where nothing waits, and then the drain is over.
    mutating func take(_ limit: Int) -> LanePart? {
        guard head < batches.count else {
            isDraining = false
            return nil
        }
        let (start, count) = (batches[head].next, batches[head].count)
        let end = min(start + limit, count)
        let section = batches[head].section
        // A copy, as others may be added to the batch meanwhile.
        let part = LanePart(
            section: section, initial: section == nil ? Array(batches[head].initial[start..<end]) : [],
            range: start..<end)
        if section != nil { changeCount -= part.count }
        batches[head].next = end
        if end == count { removeFirst() }
        return part
    }

    private mutating func removeFirst() {
        batches[head] = LaneBatch()
        head += 1
        if head == batches.count {
            batches.removeAll(keepingCapacity: batches.capacity <= 1024)
            head = 0
        } else if head >= 1024, head * 2 > batches.count {
            batches.removeFirst(head)
            head = 0
        }
    }

    mutating func takeAll() -> [LaneBatch] {
        let all = Array(batches[head...])
        batches = []
        head = 0
        changeCount = 0
        return all
    }

    /// Puts the folded batches before those that have come since.
    mutating func putBack(_ folded: [LaneBatch]) {
        batches.insert(contentsOf: folded, at: head)
        for batch in folded where batch.section != nil { changeCount += batch.count - batch.next }
    }
}
