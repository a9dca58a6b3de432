import Dispatch
import ModelCBOR
import Synchronization
import Testing

@_spi(RecordWriting) @testable import ModelRecord

/// A value that is kept on a record.
struct KeptNote<Value: Sendable>: KeptOnRecord {
    let value: Value
    /// What is carried.
    var next: Value?

    init(_ value: Value, next: Value? = nil) { (self.value, self.next) = (value, next) }

    func carried() -> KeptNote? { next.map { KeptNote($0) } }
}

extension ObjectIdentifier {
    static let text = ObjectIdentifier(String.self)
    static let number = ObjectIdentifier(Int.self)
}

extension CellRecord {
    /// The value of a ``KeptNote`` of this type.
    func note<Value: Sendable>(_ key: ObjectIdentifier, isCarried: Bool = false, toCopy: Bool = true) -> Value? {
        defer { extendLifetime(self) }
        let place = unsafe isCarried ? carried(key) : kept(key, toCopy: toCopy)
        return unsafe place?.assumingMemoryBound(to: KeptNote<Value>.self).pointee.value
    }
}

/// What is kept on a record.
struct KeptValueTests {
    /// More words than are looked at for references.
    private struct Large: Equatable {
        let lanes = SIMD64<Double>(repeating: 6)
        let others = SIMD64<Double>(repeating: 7)
        let text = "a text that stands behind all of them"
    }

    /// Counts how many of it there are.
    private final class Counted: Sendable {
        private let count: CountedOnes
        init(_ count: CountedOnes) {
            self.count = count
            count.number.add(1, ordering: .relaxed)
        }
        deinit { count.number.subtract(1, ordering: .relaxed) }
    }

    private final class CountedOnes: Sendable {
        let number = Atomic(0)
        var value: Int { number.load(ordering: .relaxed) }
    }

    private static func record(_ id: String = "model") throws -> CellRecord {
        var plan = MergePlan()
        let update = EncodedUpdate(.merge, Version(stamp: 1 << 40, origin: "a"), id: id, ["n": 1])
        return try #require(update.apply(to: nil, plan: &plan).record)
    }

    @Test func `values of every size and alignment are found as they were kept`() throws {
        let record = try Self.record()
        func check<Value: Sendable & Equatable>(_ value: Value) {
            let key = ObjectIdentifier(Value.self)
            let before: Value? = record.note(key)
            #expect(before == nil)
            let first = unsafe record.keep(KeptNote(value), key)
            let second = unsafe record.keep(KeptNote(value), key)
            #expect(unsafe first.isFirst && !second.isFirst && first.place == second.place)
            #expect(unsafe Int(bitPattern: first.place) % MemoryLayout<KeptNote<Value>>.alignment == 0)
            for toCopy in [false, true] {
                let found: Value? = record.note(key, toCopy: toCopy)
                #expect(found == value)
            }
        }
        check(true)
        check(UInt8(7))
        check("a text that does not fit into fifteen bytes")
        check(["several", "texts that are long enough to be elsewhere"])
        check(SIMD4<Double>(1, 2, 3, 4))
        check(SIMD16<Double>(repeating: 5))
        check(Large())
        check([Int: [String]]())
        #expect(record.idHash == Fingerprint.fnv("model"))
        let number: Bool? = record.note(ObjectIdentifier(Bool.self))
        #expect(number == true)
    }

    @Test func `what is kept goes with the record, and what is not kept at once`() throws {
        let ones = CountedOnes()
        do {
            let record = try Self.record()
            for _ in 0..<3 { unsafe _ = record.keep(KeptNote(Counted(ones)), .text) }
            #expect(ones.value == 1)
            unsafe _ = record.keep(KeptNote(Counted(ones)), .number)
            #expect(ones.value == 2)
        }
        #expect(ones.value == 0)
    }

    @Test func `the record that replaces one begins with what its values are carried as`() throws {
        let (old, new, newest) = (try Self.record(), try Self.record(), try Self.record())
        unsafe _ = old.keep(KeptNote("old", next: "carried"), .text)
        unsafe _ = old.keep(KeptNote(5), .number)
        old.carryViews(to: new)
        let carried: [String?] = [new.note(.text), new.note(.text, isCarried: true)]
        #expect(carried == [nil, "carried"])
        let numbers: [Int?] = [new.note(.number), new.note(.number, isCarried: true)]
        #expect(numbers == [nil, nil])
        // What was made of a record itself goes before what came with it.
        unsafe _ = new.keep(KeptNote("new", next: "of the new"), .text)
        new.carryViews(to: newest)
        let last: String? = newest.note(.text, isCarried: true)
        #expect(last == "of the new")
    }

    @Test func `of values that many threads keep at once one stays, and all see it`() throws {
        for _ in 0..<200 {
            let ones = CountedOnes()
            do {
                let record = try Self.record()
                let firsts = Atomic(0)
                DispatchQueue.concurrentPerform(iterations: 8) { thread in
                    let key = thread % 2 == 0 ? ObjectIdentifier.text : .number
                    let kept = unsafe record.keep(KeptNote(Counted(ones)), key)
                    if unsafe kept.isFirst { firsts.add(1, ordering: .relaxed) }
                    let found: Counted? = record.note(key)
                    if found == nil { firsts.add(100, ordering: .relaxed) }
                }
                #expect(firsts.load(ordering: .relaxed) == 2 && ones.value == 2)
            }
            #expect(ones.value == 0)
        }
    }
}
