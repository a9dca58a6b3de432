import ModelRecord

/// Finds the updates of a batch whose model other updates of the batch change, too.
///
/// A table of mixed hashes that is emptied in O(1). It may name too many updates: two ids whose hashes are alike in 51
/// bits count as one model, and an id that finds no free place near its own counts as repeated. Such updates take the
/// two phases, which costs time and nothing else.
struct RepeatFilter {
    /// The generation in the upper 24 bits of a word, the lower 40 bits of a hash below. A place of another generation
    /// is empty.
    private var places: [UInt64] = []
    /// The first update that has the hash, for each place.
    private var positions: [UInt16] = []
    private var generation: UInt64 = 0

    /// The number of places. A batch has at most ``ModelCache/updatesAtOnceMax`` updates, so three quarters stay empty.
    private static let count = 2_048
    private static let distanceMax = 32
    private static let hashMask: UInt64 = 1 << 40 - 1

    /// The updates of `batch` whose id stands in it more than once, or whose hash hardly differs from another's.
    mutating func repeats(in batch: borrowing UpdateBatchView) -> Repeats {
        var repeats = Repeats()
        guard batch.count > 1 else { return repeats }
        precondition(batch.count * 4 <= RepeatFilter.count, "a batch that is merged at once has so many updates")
        if places.isEmpty || generation == 1 << 24 - 1 {
            places = [UInt64](repeating: 0, count: RepeatFilter.count)
            positions = [UInt16](repeating: 0, count: RepeatFilter.count)
            generation = 0
        }
        generation &+= 1
        let slices = batch.slices
        for index in slices.indices {
            let hash = SlotArray.hash(idHash: slices[index].idHash)
            let word = generation &<< 40 | hash & RepeatFilter.hashMask
            var place = Int(truncatingIfNeeded: hash &>> 53)
            var distance = 0
            while places[place] &>> 40 == generation, places[place] != word {
                place = (place &+ 1) & (RepeatFilter.count &- 1)
                distance &+= 1
                if distance == RepeatFilter.distanceMax { break }
            }
            if distance == RepeatFilter.distanceMax {
                // Another update of this id comes to the same end, as taken places are not given up. So all of them are
                // found.
                repeats.insert(index)
            } else if places[place] == word {
                repeats.insert(Int(positions[place]))
                repeats.insert(index)
            } else {
                places[place] = word
                positions[place] = UInt16(truncatingIfNeeded: index)
            }
        }
        return repeats
    }
}

/// Positions of updates in a batch, a bit each; the batch has ``ModelCache/updatesAtOnceMax`` updates at most.
struct Repeats {
    private var bits = InlineArray<8, UInt64>(repeating: 0)
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    func contains(_ position: Int) -> Bool { bits[position &>> 6] & (1 &<< UInt64(position & 63)) != 0 }

    mutating func insert(_ position: Int) {
        guard !contains(position) else { return }
        bits[position &>> 6] |= 1 &<< UInt64(position & 63)
        count += 1
    }
}
