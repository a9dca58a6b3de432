/// The epochs of a cache: points in time that snapshots hold on to. Under the cut lock.
///
/// The images of a closed epoch are given up shard by shard, without the cut lock, by one thread at a time and oldest
/// epoch first; see ``next()``.
struct Epochs {
    private struct Node {
        let id: UInt64
        let commitNumber: UInt64
        /// How many snapshots hold the epoch.
        var holders = 1
        /// For each table, the shards that may have images of the epoch, a bit each.
        var touched: [UInt64] = []
    }

    /// A closed epoch whose images are to be given up: they go to `older`, or are released where that is nil.
    struct Job {
        let epoch: UInt64
        let older: UInt64?
        let touched: [UInt64]
    }

    /// The epochs that snapshots hold, oldest first.
    private var open: [Node] = []
    private var closed: [Node] = []
    private var lastID: UInt64 = 0
    private var isReclaiming = false

    /// The epoch that overwritten records are kept for, if any snapshot is open.
    var newest: UInt64? { open.last?.id }

    /// How many epochs are held.
    var openCount: Int { open.count }

    /// Holds the present state. Snapshots without a commit between them share an epoch.
    mutating func hold(commitNumber: UInt64) -> UInt64 {
        if let last = open.indices.last, open[last].commitNumber == commitNumber {
            open[last].holders += 1
            return open[last].id
        }
        lastID += 1
        open.append(Node(id: lastID, commitNumber: commitNumber))
        return lastID
    }

    /// Notes that the newest epoch has images in some shards of a table.
    mutating func touch(table: Int, shards: UInt64) {
        guard let last = open.indices.last, shards != 0 else { return }
        Epochs.merge(shards, at: table, into: &open[last].touched)
    }

    /// Lets go of an epoch.
    /// - Returns: true when the caller is to run the jobs of ``next()`` until there is none.
    mutating func release(_ id: UInt64) -> Bool {
        let position = open.partitionPoint { $0.id < id }
        guard position < open.count, open[position].id == id else { return false }
        open[position].holders -= 1
        guard open[position].holders == 0 else { return false }
        let node = open.remove(at: position)
        guard !node.touched.isEmpty else { return false }
        closed.append(node)
        guard !isReclaiming else { return false }
        isReclaiming = true
        return true
    }

    /// The next closed epoch to be given up; nil ends the caller's turn.
    ///
    /// Oldest first: where two epochs are closed, the images of the older one stand for more of the past, and have to
    /// reach the open epoch first.
    mutating func next() -> Job? {
        guard let position = closed.indices.min(by: { closed[$0].id < closed[$1].id }) else {
            isReclaiming = false
            return nil
        }
        let node = closed.remove(at: position)
        let newer = open.partitionPoint { $0.id < node.id }
        let older = newer > 0 ? newer - 1 : nil
        if let older {
            for (table, shards) in node.touched.enumerated() where shards != 0 {
                Epochs.merge(shards, at: table, into: &open[older].touched)
            }
        }
        return Job(epoch: node.id, older: older.map { open[$0].id }, touched: node.touched)
    }

    private static func merge(_ shards: UInt64, at table: Int, into touched: inout [UInt64]) {
        if touched.count <= table {
            touched.append(contentsOf: repeatElement(0, count: table + 1 - touched.count))
        }
        touched[table] |= shards
    }
}

extension Array {
    /// The first position of a sorted array for which `isBefore` does not hold.
    /// - Complexity: O(log *n*)
    func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
