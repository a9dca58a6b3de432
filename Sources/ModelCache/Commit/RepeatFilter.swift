import ModelRecord

/// Finds the updates of a batch whose models are changed by others of it, too.
///
/// A table of mixed hashes that is emptied in O(1). Two ids that are alike in 51 bits are taken for one, and one whose
/// place is taken, and so many behind it, is taken for one of several: that costs their updates the short way and
/// nothing else.
struct RepeatFilter {
    /// A generation in the upper 24 bits, the lower 40 of a hash below; other generations are empty places.
    private var places: [UInt64] = []
    /// By place, the first update that has the hash.
    private var positions: [UInt16] = []
    private var generation: UInt64 = 0

    /// Of at most ``ModelCache/updatesAtOnceMax`` updates, so that three quarters of the places stay empty.
    private static let count = 2_048
    private static let distanceMax = 32
    private static let hashMask: UInt64 = 1 << 40 - 1

    /// The updates of `batch` whose id stands in it more than once, or hardly differs from another's in its hash.
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
                // Another update of its id ends here, too, as places are not given up.
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

/// Some of the updates of a batch, by position: of ``ModelCache/updatesAtOnceMax`` at most, a bit each.
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
