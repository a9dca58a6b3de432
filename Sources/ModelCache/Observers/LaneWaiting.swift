/// Changes of one commit for members of a lane, or members that are to be told their first state.
struct LaneBatch: Sendable {
    var section: ChangeSection?
    var initial: [UInt32] = []
    /// What is before it has been taken.
    var next = 0

    var count: Int { section?.count ?? initial.count }
}

/// What is taken at once.
struct LanePart: Sendable {
    let section: ChangeSection?
    /// Of first states the members; empty of changes.
    let initial: [UInt32]
    /// Of changes the positions.
    let range: Range<Int>

    var count: Int { range.count }
}

/// What waits in a lane, in order.
struct LaneWaiting: Sendable {
    private var batches: [LaneBatch] = []
    /// The first batch that is not empty.
    private var head = 0
    /// Changes that wait; first states are not counted, as there is at most one a member.
    private(set) var changeCount = 0
    /// A drain is on its way, or at work.
    private var isDraining = false

    /// So many first states stand in one batch.
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

    /// True when nobody is on the way to take what there is; then the caller is to see to it.
    mutating func isToBeWoken() -> Bool {
        if isDraining || batchCount == 0 { return false }
        isDraining = true
        return true
    }

    /// Up to so many of one batch; nil where there is nothing, and then the drain is over.
    mutating func take(_ limit: Int) -> LanePart? {
        guard head < batches.count else {
            isDraining = false
            return nil
        }
        let (start, count) = (batches[head].next, batches[head].count)
        let end = min(start + limit, count)
        let section = batches[head].section
        // A copy: others may be added to the batch meanwhile.
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

    /// Puts what was folded before what has come since.
    mutating func putBack(_ folded: [LaneBatch]) {
        batches.insert(contentsOf: folded, at: head)
        for batch in folded where batch.section != nil { changeCount += batch.count - batch.next }
    }
}
