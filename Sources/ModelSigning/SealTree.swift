/// A tree of hashes. A node without a neighbour goes up as it is.
struct SealTree {
    /// The number of a leaf, and of all leaves.
    struct Position: Hashable, Sendable {
        let index: Int
        let count: Int

        /// Nil where there is no such leaf, or are more leaves than a signature seals.
        init?(index: Int, count: Int) {
            guard (1...BatchSeal.batchCountMax).contains(count), (0..<count).contains(index) else { return nil }
            (self.index, self.count) = (index, count)
        }

        /// How many hashes stand beside the way up.
        var pathCount: Int {
            var pathCount = 0
            climb { pathCount += $0 == nil ? 0 : 1 }
            return pathCount
        }

        /// The root above a leaf at this position.
        /// - Parameter path: ``pathCount`` hashes.
        func root(of leaf: SealHash, path: [SealHash]) -> SealHash {
            var (hash, used) = (leaf, 0)
            climb { isLeft in
                guard let isLeft else { return }
                hash = isLeft ? .node(hash, path[used]) : .node(path[used], hash)
                used += 1
            }
            return hash
        }

        /// Goes up level by level.
        /// - Parameter step: is told whether the node is the left one of two; nil where it has no neighbour.
        fileprivate func climb(_ step: (_ isLeft: Bool?) -> Void) {
            var (index, count) = (index, count)
            while count > 1 {
                step(index ^ 1 < count ? index & 1 == 0 : nil)
                (index, count) = (index / 2, (count + 1) / 2)
            }
        }
    }

    /// The hashes, level by level from the leaves up.
    private let levels: [[SealHash]]

    /// The tree of at least one leaf.
    init(_ leaves: [SealHash]) {
        var levels = [leaves]
        while let last = levels.last, last.count > 1 {
            levels.append(
                stride(from: 0, to: last.count, by: 2).map { index in
                    index + 1 < last.count ? .node(last[index], last[index + 1]) : last[index]
                })
        }
        self.levels = levels
    }

    /// The hash above all leaves.
    var root: SealHash { levels[levels.count - 1][0] }

    /// The hashes beside the way from a leaf to the root.
    func path(of position: Position) -> [SealHash] {
        var path: [SealHash] = []
        var (index, level) = (position.index, 0)
        position.climb { isLeft in
            if isLeft != nil { path.append(levels[level][index ^ 1]) }
            (index, level) = (index / 2, level + 1)
        }
        return path
    }
}
