import Dispatch
import ModelCache
import ModelRecord
import ModelTypes
import ModelViews
import ModelWire
import Synchronization
import TestSupport
import Testing

/// Typed reads, which find a model where it is kept, beside the plain way: the record, and what is made of it.
@Suite(.timeLimit(.minutes(15))) struct TypedReadTests {
    /// A model whose place in memory is not that of most.
    private struct Wide: Model {
        static let modelType = "Person"
        static let properties: [ModelProperty<Wide>] = []
        let id: Int
        let lanes: SIMD8<Double>

        init(id: Int, record: CellRecord) throws(FieldProblem) {
            var reader = FieldReader(record)
            self.id = id
            lanes = SIMD8(repeating: Double(try reader.read("age", as: Int.self)))
        }

        func write(into sink: inout some FieldSink) throws(FieldProblem) {}
    }

    /// As many Swift types as are asked for.
    private struct Nested<Inner: Sendable>: Model {
        /// By what is innermost.
        static var modelType: String { String(describing: Inner.self).contains("Int") ? "Person" : "Other" }
        static var properties: [ModelProperty<Nested>] { [] }
        let id: Int
        let age: Int

        init(id: Int, record: CellRecord) throws(FieldProblem) {
            var reader = FieldReader(record)
            self.id = id
            age = try reader.read("age")
        }

        func write(into sink: inout some FieldSink) throws(FieldProblem) {}
        static func == (left: Nested, right: Nested) -> Bool { left.age == right.age }
        func hash(into hasher: inout Hasher) { hasher.combine(age) }
    }

    @Test(arguments: [UInt64(1), 2, 3, .random(in: 4 ... .max)])
    func `every way to read gives what the record makes, or the last good one`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let cache = ModelCache()
        var last: [Int: Person] = [:]
        for step in 0..<3000 {
            let id = Int.random(in: 0..<8, using: &numbers)
            let text = String(repeating: "n", count: .random(in: 0..<40, using: &numbers))
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0:
                try cache.delete(id)
                last[id] = nil
            case 1: try cache.merge(id, ["age": "none"])
            case 2: try cache.merge(id, ["boss": .text("\(id)")])
            case 3: try cache.merge(id, ["name": .text(text)])
            default: try cache.merge(id, ["age": .int(Int64(step)), "name": .text(text)])
            }
            // Not each record is read: a model is carried over those that are not.
            if step % 3 == 0 { continue }
            guard let record = cache["Person", "\(id)"] else {
                #expect(cache[lastGood: Person.self, id] == nil)
                #expect(cache.withModel(lastGood: Person.self, id) { _ in 0 } == nil)
                continue
            }
            let plain = try? Person(record)
            if let plain { last[id] = plain }
            let lent = cache.withModel(lastGood: Person.self, id) { copy $0 }
            let ways = [cache[lastGood: Person.self, id], lent, cache.state(of: Person.self, id)?.model]
            #expect(ways == [last[id], last[id], last[id]], "seed \(seed), step \(step)")
            #expect(cache.snapshot()[lastGood: Person.self, id] == last[id], "seed \(seed), step \(step)")
            let isCurrent = cache.state(of: Person.self, id)?.problem == nil
            #expect(isCurrent == (plain != nil), "seed \(seed), step \(step)")
            let age = cache.withModel(lastGood: Person.self, id) { $0.age }
            #expect(age == last[id]?.age, "seed \(seed), step \(step)")
            let wide = cache.withModel(lastGood: Wide.self, id) { $0.lanes[7] }
            #expect(cache[lastGood: Wide.self, id]?.lanes[7] == wide, "seed \(seed), step \(step)")
            if let plain { #expect(wide == Double(plain.age), "seed \(seed), step \(step)") }
        }
    }

    @Test func `what the body throws or returns comes back, and where there is no model it is not called`() throws {
        struct Refused: Error {}
        let cache = ModelCache()
        try cache.merge(1, ["name": "Ada", "age": 36])
        try cache.merge(2, ["name": "Ada"])
        #expect(throws: Refused.self) {
            try cache.withModel(lastGood: Person.self, 1) { (_: borrowing Person) throws(Refused) in throw Refused() }
        }
        for id in [2, 3] {
            cache.withModel(lastGood: Person.self, id) { _ in Issue.record("there is none") }
        }
    }

    @Test func `a model that is lent stays as it is while its record is replaced`() throws {
        let cache = ModelCache()
        try cache.merge(1, ["name": "a name of more than fifteen bytes", "age": 1])
        let ages = try cache.withModel(lastGood: Person.self, 1) { person in
            for age in 2..<50 { try cache.merge(1, ["name": "b", "age": .int(Int64(age))]) }
            return [person.age, cache[lastGood: Person.self, 1]?.age, person.name.utf8.count]
        }
        #expect(ages == [1, 49, 33])
    }

    @Test func `more Swift types than are noted are all read as what they are`() throws {
        let cache = ModelCache()
        func read<Inner: Sendable>(_ type: Nested<Inner>.Type, _ wanted: Int?, depth: Int) {
            #expect(cache[lastGood: type, 1]?.age == wanted)
            if depth > 0 { read(Nested<Nested<Inner>>.self, wanted, depth: depth - 1) }
        }
        // Before there are models of the type nothing is noted.
        read(Nested<Int>.self, nil, depth: 2)
        try cache.merge(1, ["age": 36])
        read(Nested<Bool>.self, nil, depth: 2)
        var writer = BatchWriter()
        try writer.append(.merge, stamp: 1 << 20, id: "1", fields: ["age": 85])
        try cache.commit(writer, type: "Other", origin: "origin")
        for _ in 0..<2 {
            read(Nested<Int>.self, 36, depth: 50)
            read(Nested<Bool>.self, 85, depth: 50)
        }
    }

    @Test func `readers see whole models, and newer ones never before older ones, while a thread writes`() throws {
        let cache = ModelCache()
        func write(_ number: Int) throws {
            try cache.merge(1, ["age": .int(Int64(number)), "name": .text("number \(number) of very many")])
        }
        try write(0)
        let isDone = Atomic(false)
        let faults = Heard<String>()
        let group = DispatchGroup()
        for reader in 0..<3 {
            DispatchQueue(label: "reader \(reader)").async(group: group) {
                var last = 0
                while !isDone.load(ordering: .relaxed) {
                    let copied = reader == 0 ? cache[lastGood: Person.self, 1] : nil
                    let person = copied ?? cache.withModel(lastGood: Person.self, 1) { copy $0 }
                    guard let person, person.age >= last, person.name == "number \(person.age) of very many" else {
                        faults.add("\(String(describing: person)) after \(last)")
                        return
                    }
                    last = person.age
                }
            }
        }
        for number in 1...5000 { try write(number) }
        isDone.store(true, ordering: .relaxed)
        group.wait()
        #expect(faults.all.isEmpty)
    }
}
