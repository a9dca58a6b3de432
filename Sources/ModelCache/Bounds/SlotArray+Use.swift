import CPrefetch
@_spi(RecordWriting) import ModelRecord
import Synchronization

/// The search for models that nobody uses. For the writer.
///
/// Each place has marks of use in its own word, which every read and every change sets. So the search reads the words
/// of an array in their order, and no record.
extension SlotArray {
    /// Goes over places as the hand of a clock does: a model that was used since the hand came by stays, and counts as
    /// not used until the hand comes again.
    /// - Parameters:
    ///   - start: the first place.
    ///   - looks: how many places are looked at, at most.
    ///   - take: is given each model that was not used. On false the search ends behind it.
    /// - Returns: the place where the next search begins; ``capacity`` at the end of the array.
    func unused(from start: Int, looks: Int, _ take: (_ hash: UInt64, CellRecord) -> Bool) -> Int {
        var index = start
        let end = min(capacity, start &+ looks)
        while index < end {
            let word = word(at: index)
            index &+= 1
            // The record that may be looked at some steps on. Most are in no cache: nobody has used them for long.
            if index &+ SlotArray.aheadCount < end {
                unsafe cprefetch(self.word(at: index &+ SlotArray.aheadCount).address)
            }
            guard let record = unsafe word.record else { continue }
            if word.bits & SlotWord.used != 0 {
                clear(SlotWord.used, at: index &- 1)
            } else if unsafe !take(SlotArray.hash(idHash: record.idHash), record.record) {
                return index
            }
        }
        return index
    }

    /// How many places ahead of the search records are prefetched.
    private static let aheadCount = 32

    /// Gives `take` each model that was not used since the look before the last, and marks those that were not used
    /// since the last.
    func idle(_ take: (_ hash: UInt64, CellRecord) -> Void) {
        for index in 0..<capacity {
            let word = word(at: index)
            guard let record = unsafe word.record else { continue }
            if word.bits & SlotWord.recent != 0 {
                clear(SlotWord.recent | SlotWord.aged, at: index)
            } else if word.bits & SlotWord.aged != 0 {
                unsafe take(SlotArray.hash(idHash: record.idHash), record.record)
            } else {
                // A reader that has the place locked may overwrite the mark, and its own marks say more.
                unsafe base[index].bitwiseOr(SlotWord.aged, ordering: .relaxed)
            }
        }
    }

    /// Gives `take` each model, tombstones included.
    func all(_ take: (_ hash: UInt64, CellRecord) -> Void) {
        for index in 0..<capacity {
            guard let record = unsafe word(at: index).record else { continue }
            unsafe take(SlotArray.hash(idHash: record.idHash), record.record)
        }
    }

    /// Takes marks of use away. A reader that has the place locked sets its marks afterwards.
    private func clear(_ marks: UInt64, at index: Int) { unsafe base[index].bitwiseAnd(~marks, ordering: .relaxed) }
}
