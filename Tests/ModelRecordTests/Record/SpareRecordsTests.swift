import TestSupport
import Testing

@_spi(RecordWriting) @testable import ModelRecord

/// Records whose memory serves for the next ones: only those that nobody else has.
struct SpareRecordsTests {
    /// A record of one field, made anew.
    private static func record(_ text: String, at stamp: Stamp, plan: inout MergePlan) throws -> CellRecord {
        let update = EncodedUpdate(.merge, Version(stamp: stamp, origin: "a"), ["text": .text(text)])
        return try #require(update.apply(to: nil, plan: &plan).record)
    }

    /// What becomes of the record when its text is set.
    private static func set(
        _ text: String, at stamp: Stamp, in record: CellRecord, plan: inout MergePlan
    ) throws -> CellRecord {
        let update = EncodedUpdate(.merge, Version(stamp: stamp, origin: "a"), ["text": .text(text)])
        return try #require(update.apply(to: record, plan: &plan).record)
    }

    private static func address(_ record: CellRecord) -> ObjectIdentifier { ObjectIdentifier(record.storage) }

    /// Gives up a record, of which the variable is the only one that has it, or not.
    static func giveBack(_ record: inout CellRecord?, to plan: inout MergePlan) -> Bool {
        guard var spare = unsafe record.take().map({ unsafe UnmanagedRecord($0) }) else { return false }
        let isTaken = unsafe spare.giveBack(to: &plan)
        if !isTaken { unsafe spare.release() }
        return isTaken
    }

    @Test func `a record that nobody else has is written over by the next of its size, and by no other`() throws {
        var plan = MergePlan()
        let first = try Self.record("aaaa", at: 1 << 40, plan: &plan)
        var old: CellRecord? = try Self.set("bbbb", at: 2 << 40, in: first, plan: &plan)
        let place = old.map(Self.address)
        let isGiven = Self.giveBack(&old, to: &plan)
        #expect(isGiven)
        let longer = try Self.set(String(repeating: "c", count: 40), at: 3 << 40, in: first, plan: &plan)
        #expect(Self.address(longer) != place)
        #expect(longer["text"]?.textValue?.count == 40)
        let same = try Self.set("dddd", at: 4 << 40, in: first, plan: &plan)
        #expect(Self.address(same) == place)
        #expect(same["text"] == "dddd")
        #expect(same.touched?.stamp == 4 << 40)
        let another = try Self.set("eeee", at: 5 << 40, in: first, plan: &plan)
        #expect(Self.address(another) != place)
        #expect(same["text"] == "dddd")
    }

    @Test func `a record that somebody else has, or on which something is kept, stays as it is`() throws {
        var plan = MergePlan()
        let first = try Self.record("aaaa", at: 1 << 40, plan: &plan)
        var held: CellRecord? = try Self.set("bbbb", at: 2 << 40, in: first, plan: &plan)
        let copy = try #require(held)
        let isShared = !Self.giveBack(&held, to: &plan)
        #expect(isShared)
        let next = try Self.set("cccc", at: 3 << 40, in: first, plan: &plan)
        #expect(copy["text"] == "bbbb" && next["text"] == "cccc")

        var viewed: CellRecord? = try Self.set("dddd", at: 4 << 40, in: first, plan: &plan)
        unsafe _ = viewed?.keep(KeptNote("a view"), .text)
        let isViewed = !Self.giveBack(&viewed, to: &plan)
        #expect(isViewed)
    }

    @Test func `no more than a megabyte is kept, and sizes that are made no more give way to those that are`() throws {
        var plan = MergePlan()
        let first = try Self.record("a", at: 1 << 40, plan: &plan)
        let recordByteCount = try Self.set(String(repeating: "b", count: 200), at: 2 << 40, in: first, plan: &plan)
            .byteCount
        let fits = (1 << 20) / recordByteCount
        // Many at once, as a large commit replaces them. Where there is no room, one of eight takes that of another.
        for (length, times) in [(200, 2), (100, 16)] {
            var records: [CellRecord] = []
            for _ in 0..<(times * fits) {
                records.append(
                    try Self.set(String(repeating: "b", count: length), at: 2 << 40, in: first, plan: &plan))
            }
            while var record = Optional(records.popLast()), record != nil {
                _ = Self.giveBack(&record, to: &plan)
            }
            #expect(plan.spares.keptByteCount >= (1 << 20) - 1_024)
            #expect(plan.spares.keptByteCount <= (1 << 20) + 1_024)
        }
        // The second size has driven out the first.
        var kept = 0
        while plan.spares.take(ofClass: SpareRecords.sizeClass(recordByteCount)) != nil { kept += 1 }
        #expect(kept < fits / 2)
    }
}

/// The rule of ``SpareRecords``, played in all orders of the steps of two readers and a writer.
struct SpareRecordsOrderTests {
    /// What all threads share: a slot, a lock, and the counts of two records, of which the second replaces the first.
    private struct State: Hashable {
        var slot = 0
        /// Who has the lock.
        var owner: Int?
        /// The slot owns one count of the old record, and the writer one of the new.
        var counts = [1, 1]
        /// The old record's memory has been written over.
        var isReused = false
        /// What each thread does next.
        var steps = [0, 0, 0]
        /// What each reader has found.
        var found: [Int?] = [nil, nil]
        var fault: String?
    }

    private enum Check {
        /// As it is done: the writer looks at the count when the slot has the new record.
        case afterExchange
        /// Wrong on purpose.
        case beforeExchange
    }

    private static let writer = 2

    /// Does the next step of a thread; nil when it has to wait, or is through.
    private static func step(_ thread: Int, _ state: State, _ check: Check) -> State? {
        var next = state
        next.steps[thread] += 1
        switch (thread == writer, state.steps[thread]) {
        case (_, 0) where !(thread == writer && check == .beforeExchange), (true, 1) where check == .beforeExchange:
            guard state.owner == nil else { return nil }
            next.owner = thread
        // A reader: finds, counts, leaves the lock, reads, gives up.
        case (false, 1): next.found[thread] = state.slot
        case (false, 2): next.counts[state.found[thread] ?? 0] += 1
        case (false, 3): next.owner = nil
        case (false, 4):
            if state.found[thread] == 0, state.isReused { next.fault = "reader \(thread) reads what is written over" }
        case (false, 5): next.counts[state.found[thread] ?? 0] -= 1
        // The writer, in the right order: exchanges, leaves the lock, asks.
        case (true, 1): next.slot = 1
        case (true, 2): if check == .afterExchange { next.owner = nil } else { next.slot = 1 }
        case (true, 3) where check == .afterExchange: if state.counts[0] == 1 { next.isReused = true }
        // In the wrong order: asked first, and writes when it has left the lock.
        case (true, 0): if state.counts[0] != 1 { next.steps[thread] = 9 }
        case (true, 3): next.owner = nil
        case (true, 4) where check == .beforeExchange: next.isReused = true
        default: return nil
        }
        return next
    }

    /// All states that any order of steps leads to.
    private static func reachable(_ check: Check) -> Set<State> {
        var seen: Set<State> = [State()]
        var open = [State()]
        while let state = open.popLast() {
            for thread in 0...writer {
                guard let next = step(thread, state, check), seen.insert(next).inserted else { continue }
                open.append(next)
            }
        }
        return seen
    }

    @Test func `in no order of steps does a reader see memory that is written over`() {
        let states = Self.reachable(.afterExchange)
        #expect(states.allSatisfy { $0.fault == nil })
        // Both happen: it is written over, and it is not because a reader had it.
        let ends = states.filter { $0.steps == [6, 6, 4] }
        #expect(ends.contains { $0.isReused } && ends.contains { !$0.isReused })
        #expect(states.count > 200)
    }

    @Test func `were the count asked for before the exchange, some order would be wrong`() {
        #expect(Self.reachable(.beforeExchange).contains { $0.fault != nil })
    }
}
