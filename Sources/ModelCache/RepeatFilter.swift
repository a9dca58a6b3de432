import ModelRecord

/// Tells whether a batch changes some model more than once.
///
/// A set of mixed hashes that is emptied in O(1). Two ids that are alike in 51 bits are taken for one, which costs a
/// commit of such a batch its short way and nothing else.
struct RepeatFilter {
    /// A generation in the upper 24 bits, the lower 40 of a hash below; other generations are empty places.
    private var places: [UInt64] = []
    private var generation: UInt64 = 0

    /// Of at most ``ModelCache/updatesAtOnceMax`` updates, so that three quarters of the places stay empty.
    private static let count = 2_048
    private static let hashMask: UInt64 = 1 << 40 - 1

    /// Some id stands twice in `batch`, or two hardly differ in their hashes.
    mutating func hasRepeats(_ batch: borrowing UpdateBatchView) -> Bool {
        guard batch.count > 1 else { return false }
        precondition(batch.count * 4 <= RepeatFilter.count, "a batch that is merged at once has so many updates")
        if places.isEmpty || generation == 1 << 24 - 1 {
            places = [UInt64](repeating: 0, count: RepeatFilter.count)
            generation = 0
        }
        generation &+= 1
        let slices = batch.slices
        for index in slices.indices {
            let hash = SlotArray.hash(idHash: slices[index].idHash)
            let word = generation &<< 40 | hash & RepeatFilter.hashMask
            var place = Int(truncatingIfNeeded: hash &>> 53)
            while places[place] &>> 40 == generation {
                if places[place] == word { return true }
                place = (place &+ 1) & (RepeatFilter.count &- 1)
            }
            places[place] = word
        }
        return false
    }
}
