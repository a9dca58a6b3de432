import Dispatch
import ModelCache
import ModelRecord
import ModelTypes
import ModelViews
import Testing

@Suite(.timeLimit(.minutes(15))) struct ModelSourceTests {
    private let cache = ModelCache()

    @Test func `a model is read as a Swift type`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        #expect(cache[lastGood: Person.self, 1]?.name == "Ada")
        #expect(cache[lastGood: Person.self, 2] == nil)
        #expect(try cache.model(Person.self, 1)?.age == 36)
        #expect(try cache.model(Person.self, 2) == nil)
        try cache.delete(1)
        #expect(cache[lastGood: Person.self, 1] == nil && cache.state(of: Person.self, 1) == nil)
    }

    @Test func `several Swift types view one record`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        #expect(cache[lastGood: Person.self, 1]?.name == "Ada")
        #expect(cache[lastGood: PersonName.self, "1"]?.title == "Ada")
        try cache.merge(1, ["name": "Grace"])
        #expect(cache[lastGood: PersonName.self, "1"]?.title == "Grace")
        #expect(cache[lastGood: Person.self, 1]?.name == "Grace")
    }

    @Test func `a snapshot has the models of its moment, one by one and all`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        try cache.merge(2, ["name": "Grace", "age": 85])
        let snapshot = cache.snapshot()
        try cache.merge(1, ["age": 37])
        try cache.delete(2)
        #expect(snapshot[lastGood: Person.self, 1]?.age == 36 && cache[lastGood: Person.self, 1]?.age == 37)
        #expect(snapshot.all(lastGood: Person.self).map(\.age).sorted() == [36, 85])
        #expect(cache.snapshot().all(lastGood: Person.self).map(\.age) == [37])
    }

    @Test func `a reference is followed in the snapshot it was read from`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36, "boss": "2"])
        try cache.merge(2, ["name": "Grace", "age": 85])
        let snapshot = cache.snapshot()
        try cache.merge(2, ["name": "Rear Admiral"])
        let boss = try #require(snapshot[lastGood: Person.self, 1]?.boss)
        #expect(snapshot[lastGood: boss]?.name == "Grace")
        #expect(cache[lastGood: boss]?.name == "Rear Admiral")
        #expect(cache[lastGood: Reference<Person>(3)] == nil)
    }

    @Test func `a record that makes no model leaves the last one readable, which says that it is old`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        #expect(cache[lastGood: Person.self, 1]?.age == 36)
        try cache.merge(1, ["age": "old", "name": "Ada L."])
        let problem = ModelProblem(
            type: "Person", id: "1",
            [FieldProblem("age", FieldFault(.kind, wanted: "an integer", value: "old"))])
        #expect(throws: problem) { try cache.model(Person.self, 1) }
        guard case .outdated(let last, let found)? = cache.state(of: Person.self, 1) else {
            Issue.record("not outdated")
            return
        }
        #expect(last.age == 36 && last.name == "Ada" && found == problem)
        #expect(cache[lastGood: Person.self, 1] == last)
        #expect(cache.partial(of: Person.self, 1)?["name"] == "Ada L.")
        // Several records later, read or not, it is still the same; and another view of them is of now.
        try cache.merge(1, ["name": "Ada Lovelace"])
        try cache.merge(1, ["name": "A. Lovelace"])
        #expect(cache[lastGood: Person.self, 1] == last)
        #expect(cache[lastGood: PersonName.self, "1"]?.title == "A. Lovelace")
        try cache.merge(1, ["age": 37])
        #expect(cache.state(of: Person.self, 1)?.problem == nil && cache[lastGood: Person.self, 1]?.age == 37)
    }

    @Test func `a model that was deleted does not come back as the last good one`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        #expect(cache[lastGood: Person.self, 1] != nil)
        try cache.delete(1)
        try cache.merge(1, ["name": "Ada"])
        #expect(cache[lastGood: Person.self, 1] == nil)
        #expect(cache.state(of: Person.self, 1)?.problem?.problems == [FieldProblem("age", nil)])
    }

    @Test func `a record that makes no model is told of once for each Swift type`() throws {
        let told = Heard<String>()
        let observation = cache.problems.observe(on: told.queue) { told.add($0.description) }
        try cache.merge(1, ["name": 5, "age": 36])
        for _ in 0..<3 { #expect(cache[lastGood: Person.self, 1] == nil) }
        #expect(cache.snapshot()[lastGood: Person.self, 1] == nil)
        #expect(cache[lastGood: PersonName.self, "1"] == nil)
        #expect(told.all == ["Person 1: name: 5 is not text", "Person 1: name: 5 is not text"])
        #expect(cache.problems.count == 2)
        try cache.merge(1, ["age": 37])
        #expect(cache[lastGood: Person.self, 1] == nil)
        #expect(told.all.count == 3)
        observation.cancel()
        try cache.merge(1, ["age": 38])
        #expect(cache[lastGood: Person.self, 1] == nil)
        #expect(told.all.count == 3 && cache.problems.count == 4)
    }

    @Test func `a constant field that another process has changed is told of, and read`() throws {
        let told = Heard<String>()
        let observation = cache.problems.observe(on: told.queue) { told.add($0.description) }
        try cache.merge(1, ["name": "Ada", "age": 36])
        #expect(cache[lastGood: Bearer.self, 1]?.name == "Ada")
        try cache.merge(1, ["age": 37])
        #expect(cache[lastGood: Bearer.self, 1]?.name == "Ada" && told.all.isEmpty)
        try cache.merge(1, ["name": "Eve"])
        for _ in 0..<2 { #expect(cache[lastGood: Bearer.self, 1]?.name == "Eve") }
        #expect(told.all == [#"Person 1: name: "Eve" is not Ada, as before"#])
        observation.cancel()
    }

    @Test func `of a model that many threads read at once one copy is kept and one problem is told`() throws {
        for round in 1...200 {
            try cache.merge(round, ["name": "Ada", "age": 36])
            try cache.merge(-round, ["name": "Ada"])
            let good = Heard<ObjectIdentifier>()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                if let model = cache[lastGood: Marked.self, round] { good.add(ObjectIdentifier(model.mark)) }
                _ = cache[lastGood: PersonName.self, "\(round)"]
                _ = cache[lastGood: Person.self, -round]
            }
            #expect(good.all.count == 8 && Set(good.all).count == 1)
            #expect(cache.problems.count == round)
        }
    }

    @Test func `an id that is none of the Swift type is a problem of the record`() throws {
        try cache.write(.merge, "one", ["name": "Ada", "age": 36], "origin")
        #expect(cache.snapshot().all(lastGood: Person.self).isEmpty)
        #expect(cache.problems.count == 1)
        #expect(cache.snapshot().all(lastGood: PersonName.self).map(\.id) == ["one"])
        // Written otherwise than the id itself is: it would be two models of one id.
        try cache.write(.merge, "+1", ["name": "Ada", "age": 36], "origin")
        #expect(cache.snapshot().all(lastGood: Person.self).isEmpty)
    }
}

extension Sequence {
    fileprivate var isEmpty: Bool { first { _ in true } == nil }
}
