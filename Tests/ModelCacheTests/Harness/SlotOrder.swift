/// A small slot array, the steps of the writer and of readers, each one access to memory, and all orders of these.
///
/// What is shared is as in `SlotArray` and `Shards`: places that hold a record and a reader's lock, which array is the
/// shard's, the number of removals, and the counts of records. All records are alike in their hashes' ends, so readers
/// look at each that they meet.
struct SlotOrder {
    struct Word: Hashable {
        /// 0 for none.
        var record = 0
        var isLocked = false
    }

    /// What the writer does, one after the other.
    enum WriterStep {
        /// Puts a record, or none, into a place that is not locked.
        case replace(array: Int, place: Int, record: Int)
        /// Makes an array the shard's.
        case publish(array: Int)
        /// One more in the number of removals.
        case number
        /// Gives up the table's count of a record: writes over its memory, if that is the only one.
        case giveUp(Int)
        /// Wrong on purpose: asks for the count, and writes later.
        case ask(Int)
        case writeOver(Int)
        /// Locks a place as a reader would, and lets it go.
        case lock(array: Int, place: Int)
        case unlock(array: Int, place: Int)
        /// Writes new values into a record where it is, if nobody else had it when asked.
        case beginWriting(Int)
        case endWriting
    }

    /// What may be wrong with a reader.
    enum Flaw {
        case takesNoLock, countsUnlocked, neverLooksAgain, ignoresArrays
    }

    struct Reader: Hashable {
        enum Step: Hashable {
            case begin, array, load, lock, look, count, unlock, checkNumber, checkArray, read, giveUp, end
        }
        var step = Step.begin
        var number = 0
        var array = 0
        var place = 0
        var visited = 0
        var word = Word()
        var found = 0
        /// The record that the id had when the reader began.
        var least = 0
    }

    struct State: Hashable {
        var arrays: [[Word]]
        var current = 0
        var number = 0
        /// By record; the first is none.
        var counts: [Int]
        /// The memory was written over or freed.
        var isGone: [Bool]
        /// The writer found that nobody else has it.
        var isAlone = false
        /// The record whose values are being written; 0 for none.
        var written = 0
        var writerStep = 0
        var readers: [Reader]
        var fault: String?
    }

    /// By record, which id it is of; the first is none. A later record of an id replaces the earlier ones.
    let ids: [Int]
    /// By array, where a search for the wanted id begins.
    let homes: [Int]
    /// The id that readers want.
    let wanted: Int
    let program: [WriterStep]
    var flaw: Flaw?

    /// All states that any order of steps leads to.
    func reachable(from start: [[Int]], readers: Int) -> Set<State> {
        var counts = [Int](repeating: 0, count: ids.count)
        // The table's, or the writer's, who is about to put it in.
        for record in 1..<ids.count { counts[record] = 1 }
        let first = State(
            arrays: start.map { $0.map { Word(record: $0) } }, counts: counts,
            isGone: [Bool](repeating: false, count: ids.count),
            readers: [Reader](repeating: Reader(), count: readers))
        var seen: Set<State> = [first]
        var open = [first]
        while let state = open.popLast() {
            if state.fault != nil { continue }
            for thread in 0...readers {
                let next = thread == readers ? write(state) : read(state, thread)
                guard let next, seen.insert(next).inserted else { continue }
                open.append(next)
            }
        }
        return seen
    }

    /// The next step of the writer; nil when it has to wait, or is through.
    private func write(_ state: State) -> State? {
        guard state.writerStep < program.count else { return nil }
        var next = state
        next.writerStep += 1
        switch program[state.writerStep] {
        case .replace(let array, let place, let record):
            guard !state.arrays[array][place].isLocked else { return nil }
            next.arrays[array][place].record = record
        case .publish(let array): next.current = array
        case .number: next.number += 1
        case .giveUp(let record):
            if state.counts[record] == 1 { next.isGone[record] = true } else { next.counts[record] -= 1 }
        case .ask(let record): next.isAlone = state.counts[record] == 1
        case .writeOver(let record):
            if state.isAlone { next.isGone[record] = true } else { next.counts[record] -= 1 }
        case .lock(let array, let place):
            guard !state.arrays[array][place].isLocked else { return nil }
            next.arrays[array][place].isLocked = true
        case .unlock(let array, let place): next.arrays[array][place].isLocked = false
        case .beginWriting(let record): next.written = state.isAlone ? record : 0
        case .endWriting: next.written = 0
        }
        return next
    }

    /// The newest record of the wanted id that the shard has.
    private func newest(_ state: State) -> Int {
        state.arrays[state.current].map(\.record).filter { ids[$0] == wanted }.max() ?? 0
    }

    /// The next step of a reader; nil when it has to wait, or is through.
    private func read(_ state: State, _ thread: Int) -> State? {
        var next = state
        var reader = state.readers[thread]
        switch reader.step {
        case .begin:
            reader = Reader(step: .array, number: state.number, least: max(reader.least, newest(state)))
        case .array:
            reader.array = state.current
            reader.place = homes[state.current]
            reader.step = .load
        case .load:
            let word = state.arrays[reader.array][reader.place]
            guard !word.isLocked else { return nil }
            reader.word = word
            reader.step = word.record == 0 ? .checkNumber : flaw == .takesNoLock ? .look : .lock
        case .lock:
            // An exchange: what it finds instead is looked at again.
            guard state.arrays[reader.array][reader.place] == reader.word else {
                reader.step = .load
                break
            }
            next.arrays[reader.array][reader.place].isLocked = true
            reader.step = .look
        case .look:
            if state.isGone[reader.word.record] || state.written == reader.word.record {
                next.fault = "a reader looks at memory that is written over"
            }
            if ids[reader.word.record] == wanted { reader.found = reader.word.record }
            reader.step = reader.found == 0 || flaw == .countsUnlocked ? .unlock : .count
        case .count:
            next.counts[reader.found] += 1
            reader.step = flaw == .countsUnlocked || flaw == .takesNoLock ? .read : .unlock
        case .unlock:
            if flaw != .takesNoLock { next.arrays[reader.array][reader.place].isLocked = false }
            if reader.found != 0 {
                reader.step = flaw == .countsUnlocked ? .count : .read
            } else {
                let count = state.arrays[reader.array].count
                reader.place = (reader.place + 1) % count
                reader.visited += 1
                reader.step = reader.visited < count ? .load : .checkNumber
            }
        case .checkNumber:
            let isStill = state.number == reader.number && state.number % 2 == 0
            reader.step = isStill || flaw == .neverLooksAgain ? .checkArray : .begin
        case .checkArray:
            let isStill = state.current == reader.array || flaw == .ignoresArrays || flaw == .neverLooksAgain
            reader.step = isStill ? .end : .begin
            if isStill, reader.least != 0 { next.fault = "a reader misses what is there" }
        case .read:
            if state.isGone[reader.found] || state.written == reader.found {
                next.fault = "a reader reads memory that is written over"
            }
            if reader.found < reader.least { next.fault = "a reader gets a record that was replaced before" }
            reader.step = .giveUp
        case .giveUp:
            next.counts[reader.found] -= 1
            if next.counts[reader.found] == 0 { next.isGone[reader.found] = true }
            reader.step = .end
        case .end: return nil
        }
        next.readers[thread] = reader
        return next
    }
}
