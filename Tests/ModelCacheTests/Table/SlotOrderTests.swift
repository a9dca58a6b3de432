import Testing

/// The rules by which slots are read without a lock (`SlotArray.take`), played in all orders of the steps of readers
/// and the writer.
struct SlotOrderTests {
    private typealias Step = SlotOrder.WriterStep

    /// Record 1 is of another id, in the wanted one's home; 2 is the wanted id's, and 3 replaces it; 4 is of a third.
    private static let ids = [0, 1, 2, 2, 3]

    private static func order(_ program: [Step], _ flaw: SlotOrder.Flaw? = nil) -> SlotOrder {
        SlotOrder(ids: ids, homes: [0, 2], wanted: 2, program: program, flaw: flaw)
    }

    /// Two arrays of four places; the second is not the shard's yet.
    private static let start = [[1, 2, 4, 0], [0, 0, 0, 0]]

    /// Another record for the wanted id, and the old one's memory is used again where nobody has it.
    private static func exchange(_ array: Int, _ place: Int) -> [Step] {
        [.replace(array: array, place: place, record: 3), .giveUp(2)]
    }

    /// The slots move to the second array, in which they stand from place 2 on.
    private static let growth: [Step] = [
        .replace(array: 1, place: 2, record: 1), .replace(array: 1, place: 3, record: 2),
        .replace(array: 1, place: 0, record: 4), .publish(array: 1), .replace(array: 0, place: 0, record: 0),
        .replace(array: 0, place: 1, record: 0), .replace(array: 0, place: 2, record: 0),
    ]

    /// The first record goes, and those behind it move up.
    private static let removal: [Step] = [
        .number, .replace(array: 0, place: 0, record: 2), .replace(array: 0, place: 1, record: 4),
        .replace(array: 0, place: 2, record: 0), .number, .giveUp(1),
    ]

    /// What the writer does in the tests.
    private static let programs: [(name: String, steps: [Step])] = [
        ("an exchange", exchange(0, 1)),
        ("growth, and an exchange after it", growth + exchange(1, 3)),
        (
            "an exchange, and growth",
            exchange(0, 1) + [
                .replace(array: 1, place: 2, record: 1), .replace(array: 1, place: 3, record: 3), .publish(array: 1),
                .replace(array: 0, place: 0, record: 0), .replace(array: 0, place: 1, record: 0),
            ]
        ),
        ("a removal, and an exchange after it", removal + exchange(0, 0)),
        (
            "an exchange, a removal and growth",
            exchange(0, 1) + [
                .number, .replace(array: 0, place: 0, record: 3), .replace(array: 0, place: 1, record: 4),
                .replace(array: 0, place: 2, record: 0), .number, .giveUp(1),
                .replace(array: 1, place: 2, record: 3), .publish(array: 1), .replace(array: 0, place: 0, record: 0),
            ]
        ),
    ]

    private static func faults(_ order: SlotOrder, readers: Int = 1) -> Set<String> {
        Set(order.reachable(from: start, readers: readers).compactMap(\.fault))
    }

    @Test(arguments: 0..<programs.count)
    func `in no order of steps is a record missed, an old one found, or one read that is written over`(
        _ program: Int
    ) {
        let order = Self.order(Self.programs[program].steps)
        let states = order.reachable(from: Self.start, readers: 2)
        #expect(Set(states.compactMap(\.fault)) == [])
        // Everybody comes to an end, in each order: who waits, waits for one who goes on.
        let ends = states.filter { state in
            state.writerStep == order.program.count && state.readers.allSatisfy { $0.step == .end }
        }
        #expect(ends.contains { $0.isGone[2] })
        #expect(ends.contains { $0.readers.contains { $0.found == 2 } })
        #expect(ends.contains { $0.readers.contains { $0.found == 3 } })
        print("SlotOrderTests: \(Self.programs[program].name): \(states.count) states")
    }

    @Test func `a record that is being inserted is found by who begins after it, and by nobody half`() {
        let order = SlotOrder(
            ids: [0, 1, 2], homes: [0], wanted: 2, program: [.replace(array: 0, place: 1, record: 2)])
        let states = order.reachable(from: [[1, 0, 0]], readers: 2)
        #expect(states.allSatisfy { $0.fault == nil })
        let ends = states.filter { $0.readers.allSatisfy { $0.step == .end } }
        #expect(Set(ends.flatMap { $0.readers.map(\.found) }) == [0, 2])
    }

    /// New values are written into the wanted record where it is (`SlotArray.overwrite`), twice.
    private static let overwrites = Array(
        repeating: [
            Step.lock(array: 0, place: 1), .ask(2), .beginWriting(2), .endWriting, .unlock(array: 0, place: 1),
        ], count: 2
    ).flatMap(\.self)

    @Test func `a record is written over in its place in no order of steps while somebody reads it`() {
        let order = Self.order(Self.overwrites + Self.exchange(0, 1))
        let states = order.reachable(from: Self.start, readers: 2)
        #expect(Set(states.compactMap(\.fault)) == [])
        let ends = states.filter { state in
            state.writerStep == order.program.count && state.readers.allSatisfy { $0.step == .end }
        }
        #expect(!ends.isEmpty)
        // Both come about: nobody has it, and somebody has.
        let asked = states.filter { $0.writerStep == 2 }
        #expect(Set(asked.map(\.isAlone)) == [true, false])
        #expect(states.contains { $0.written == 2 && $0.readers.contains { $0.step == .lock } })
    }

    @Test func `were a record written over without the lock of its place, or unasked, readers would see half of it`() {
        let unlocked = Self.overwrites.filter { step in
            if case .lock = step { false } else if case .unlock = step { false } else { true }
        }
        #expect(!Self.faults(Self.order(unlocked)).isEmpty)
        // Asked before the lock.
        let early: [Step] = [
            .ask(2), .lock(array: 0, place: 1), .beginWriting(2), .endWriting, .unlock(array: 0, place: 1),
        ]
        #expect(!Self.faults(Self.order(early)).isEmpty)
    }

    @Test func `were a reader to count without the lock, he would read what is written over`() {
        let program = Self.exchange(0, 1)
        #expect(!Self.faults(Self.order(program, .takesNoLock)).isEmpty)
        #expect(!Self.faults(Self.order(program, .countsUnlocked)).isEmpty)
    }

    @Test func `were the count asked for before the exchange, some order would be wrong`() {
        let program: [Step] = [.ask(2), .replace(array: 0, place: 1, record: 3), .writeOver(2)]
        #expect(!Self.faults(Self.order(program)).isEmpty)
    }

    @Test func `were an old array not emptied, a reader would find what was replaced`() {
        let program = Array(Self.growth.prefix(4)) + Self.exchange(1, 3)
        #expect(!Self.faults(Self.order(program)).isEmpty)
    }

    @Test func `were an old array emptied before the new one is published, or not looked for, records would be missed`()
    {
        var program = Self.growth
        program.append(program.remove(at: 3))
        #expect(Self.faults(Self.order(program)) == ["a reader misses what is there"])
        #expect(Self.faults(Self.order(Self.growth, .ignoresArrays)) == ["a reader misses what is there"])
    }

    @Test func `were removals not counted, or counted only once, records would be missed`() {
        let uncounted = Self.removal.filter { if case .number = $0 { false } else { true } }
        #expect(Self.faults(Self.order(uncounted)) == ["a reader misses what is there"])
        #expect(Self.faults(Self.order(Self.removal, .neverLooksAgain)) == ["a reader misses what is there"])
    }
}
