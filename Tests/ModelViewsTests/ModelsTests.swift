import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelTypes
import ModelViews
import Testing

/// Observing models as Swift types.
@Suite(.timeLimit(.minutes(15))) struct ModelsTests {
    private let cache = ModelCache()

    /// What one change says, in short: `+` for the initial state.
    private static func text(_ change: ModelChange<Person>) -> String {
        let (old, new) = (change.old.map { "\($0.age)" } ?? "-", change.new.map { "\($0.age)" } ?? "-")
        return "\(change.isInitial ? "+" : "")\(change.id) \(change.step) \(old) \(new)"
    }

    private func observe(_ models: Models<Person>) -> (Heard<[String]>, CacheObservation) {
        let heard = Heard<[String]>()
        return (heard, models.observe(on: heard.queue) { heard.add($0.map(ModelsTests.text)) })
    }

    @Test func `an observer is told what is there, and then each change with the models before and after`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        let (heard, observation) = observe(cache.models(Person.self))
        try cache.merge(1, ["age": 37])
        try cache.merge(2, ["name": "Grace", "age": 85])
        try cache.delete(1)
        #expect(
            heard.all == [["+1 entered - 36"], ["1 changed 36 37"], ["2 entered - 85"], ["1 left 37 -"]])
        observation.cancel()
    }

    @Test func `an observer of one model hears of no other`() throws {
        let (heard, observation) = observe(cache.models(Person.self, 2))
        try cache.merge(1, ["name": "Ada", "age": 36])
        try cache.merge(2, ["name": "Grace", "age": 85])
        #expect(heard.all == [["2 entered - 85"]])
        observation.cancel()
    }

    @Test func `an observer of fields hears of changes of these, and of models that come and go`() throws {
        let (heard, observation) = observe(cache.models(Person.self).changes(of: \.age))
        try cache.merge(1, ["name": "Ada", "age": 36])
        try cache.merge(1, ["name": "Ada L."])
        try cache.merge(1, ["age": 37, "name": "Ada Lovelace"])
        try cache.merge(1, ["boss": "2"])
        try cache.delete(1)
        #expect(heard.all == [["1 entered - 36"], ["1 changed 36 37"], ["1 left 37 -"]])
        observation.cancel()
    }

    @Test func `an observer of fields is told when another field completes the model`() throws {
        let (heard, observation) = observe(cache.models(Person.self).changes(of: \.name))
        try cache.merge(1, ["name": "Ada"])
        try cache.merge(1, ["age": 36])
        try cache.merge(1, ["age": 37])
        heard.queue.sync {}
        // Unlike the change before, this is of a model that has been read.
        #expect(cache[lastGood: Person.self, 1]?.age == 37)
        try cache.merge(1, ["age": "old"])
        heard.queue.sync {}
        try cache.merge(1, ["age": 38])
        #expect(
            heard.all == [["1 entered - -"], ["1 changed - 36"], ["1 changed 37 37"], ["1 changed 37 38"]])
        observation.cancel()
    }

    @Test func `a late write of another is told, although the newest is of the one that is left out`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36], origin: "you")
        let (heard, observation) = observe(cache.models(Person.self).without(origin: "me"))
        try cache.merge(1, ["age": 37], origin: "me", stamp: 30 << 16)
        try cache.merge(1, ["name": "Grace"], origin: "you", stamp: 20 << 16)
        #expect(heard.all == [["+1 entered - 36"], ["1 changed 37 37"]])
        #expect(cache[lastGood: Person.self, 1]?.name == "Grace")
        observation.cancel()
    }

    @Test func `what an observer is told as the newest that could be made never goes back`() throws {
        try cache.merge(1, ["name": "Ada", "age": 1])
        #expect(cache[lastGood: Person.self, 1]?.age == 1)
        let (heard, observation) = observe(cache.models(Person.self))
        heard.queue.sync {
            // Nobody reads the second before the third, which makes no model, is there.
            _ = try? cache.merge(1, ["age": 2])
            _ = try? cache.merge(1, ["age": "x"])
        }
        #expect(heard.all == [["+1 entered - 1"], ["1 changed 1 2"], ["1 changed 2 2"]])
        observation.cancel()
    }

    @Test func `a change says which properties have changed`() throws {
        let heard = Heard<[Bool]>()
        let observation = cache.models(Person.self).observe(on: heard.queue) { changes in
            for change in changes { heard.add([change.changes(\.age), change.changes(\.name)]) }
        }
        try cache.merge(1, ["name": "Ada", "age": 36])
        try cache.merge(1, ["age": 37, "name": "Ada"])
        #expect(heard.all == [[true, true], [true, false]])
        observation.cancel()
    }

    @Test func `of a condition it is told which models enter, change and leave`() throws {
        try cache.merge(1, ["name": "Ada", "age": 17])
        try cache.merge(2, ["name": "Grace", "age": 85])
        let (heard, observation) = observe(cache.models(Person.self).where { $0.age > 17 })
        try cache.merge(1, ["name": "Ada L."])
        try cache.merge(1, ["age": 18])
        try cache.merge(1, ["age": 19])
        try cache.merge(1, ["age": 3])
        try cache.merge(1, ["age": 4])
        // The last good model is there where it has been read: by the handler.
        heard.queue.sync {}
        try cache.merge(2, ["age": "old"])
        heard.queue.sync {}
        try cache.merge(2, ["age": 86])
        try cache.delete(2)
        #expect(
            heard.all == [
                ["+2 entered - 85"], ["1 entered 17 18"], ["1 changed 18 19"], ["1 left 19 3"], ["2 left 85 85"],
                ["2 entered 85 86"], ["2 left 86 -"],
            ])
        observation.cancel()
    }

    @Test func `conditions and fields add up`() throws {
        let models = cache.models(Person.self).where { $0.age > 17 }.where { $0.name != "Eve" }.changes(of: \.name)
        let (heard, observation) = observe(models)
        try cache.merge(1, ["name": "Ada", "age": 18])
        try cache.merge(1, ["age": 19])
        try cache.merge(1, ["name": "Eve"])
        try cache.merge(1, ["age": 20])
        try cache.merge(1, ["name": "Ada"])
        try cache.merge(1, ["name": "Ida"])
        #expect(
            heard.all == [["1 entered - 18"], ["1 left 19 19"], ["1 entered 20 20"], ["1 changed 20 20"]])
        observation.cancel()
    }

    @Test func `a model that leaves for the limits is told where it was asked for, whoever wrote it`() throws {
        let cache = ModelCache(limits: CacheLimits(types: [Person.modelType: ModelLimits(count: 1)]))
        let people = cache.models(Person.self)
        let (heard, observation) = observe(people.withEvictions().without(origin: "me"))
        let (others, other) = observe(people)
        for id in 1...2 { try cache.merge(id, ["name": "Ada", "age": 36], origin: "you") }
        cache.enforceLimits(now: 1)
        let gone = cache.presence(of: Person.modelType, "1") == .evicted ? 1 : 2
        #expect(heard.all == [["1 entered - 36"], ["2 entered - 36"], ["\(gone) left 36 -"]])
        #expect(others.all == [["1 entered - 36"], ["2 entered - 36"]])
        for observation in [observation, other] { observation.cancel() }
    }

    @Test func `changes of a publisher can be left out, but not what it wrote before`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36], origin: "me")
        let (heard, observation) = observe(cache.models(Person.self).without(origin: "me"))
        try cache.merge(1, ["age": 37], origin: "me")
        try cache.merge(1, ["age": 38], origin: "you")
        #expect(heard.all == [["+1 entered - 36"], ["1 changed 37 38"]])
        observation.cancel()
    }

    @Test func `a stream has the same changes, and ends when it is cancelled`() async throws {
        try cache.merge(1, ["name": "Ada", "age": 16])
        let stream = cache.models(Person.self).where { $0.age > 17 }.stream()
        for age in 17...20 { try cache.merge(1, ["age": .int(Int64(age))]) }
        var heard: [String] = []
        for await changes in stream {
            heard += changes.map(ModelsTests.text)
            if changes.last?.new?.age == 20 { stream.cancel() }
        }
        #expect(heard == ["1 entered 17 18", "1 changed 18 19", "1 changed 19 20"])
    }

    @Test func `a cancelled task ends a stream of models, also one that passes no change on`() async throws {
        for yieldCount in [0, 1, 10, 1_000] {
            let stream = cache.models(Person.self).where { $0.age > 17 }.stream()
            let task = Task {
                var count = 0
                for await changes in stream { count += changes.count }
                return count
            }
            for _ in 0..<yieldCount { await Task.yield() }
            try cache.merge(1, ["name": "Ada", "age": .int(Int64(yieldCount % 17))])
            task.cancel()
            #expect(await task.value == 0)
        }
    }

    @Test func `a model that cannot be made is told of with its problem and the last that could`() throws {
        let heard = Heard<String>()
        let observation = cache.models(Person.self).observe(on: heard.queue) { changes in
            for change in changes {
                heard.add("\(change.step) \(change.new?.age ?? 0) \(change.state?.problem?.description ?? "good")")
            }
        }
        try cache.merge(1, ["name": "Ada"])
        _ = heard.all
        try cache.merge(1, ["age": 36])
        _ = heard.all
        try cache.merge(1, ["age": true])
        #expect(
            heard.all == [
                "entered 0 Person 1: age: unknown", "changed 36 good",
                "changed 36 Person 1: age: true is not an integer",
            ])
        observation.cancel()
    }

    @Test func `the last good model never goes back, however fast a model is written and whoever reads it first`()
        throws
    {
        let heard = Heard<String>()
        let observation = cache.models(Person.self).observe(on: heard.queue) { changes in
            for change in changes { heard.add(change.new?.name ?? "none") }
        }
        func write(_ writes: Fields...) throws {
            // Nobody makes models of what is written while the queue stands still.
            heard.queue.suspend()
            defer { heard.queue.resume() }
            for fields in writes { try cache.merge(1, fields) }
        }
        try write(["name": "Bonn", "age": 1])
        #expect(heard.take() == ["Bonn"])
        try write(["name": "c0"], ["name": "c1"], ["name": "c2"], ["age": "none"])
        #expect(heard.take() == ["c0", "c1", "c2", "c2"])
        #expect(cache[lastGood: Person.self, 1]?.name == "c2")
        #expect(cache.state(of: Person.self, 1)?.problem != nil)
        #expect(cache.withModel(lastGood: Person.self, 1) { $0.name } == "c2")
        // It goes over to further records, read or not.
        try write(["age": "still none"])
        #expect(heard.take() == ["c2"])
        heard.queue.suspend()
        for name in ["unread", "unread too", "unread"] { try cache.merge(1, ["name": .text(name)]) }
        #expect(cache[lastGood: Person.self, 1]?.name == "c2")
        heard.queue.resume()
        #expect(heard.take().allSatisfy { $0 == "c2" })
        try write(["age": 2])
        #expect(heard.take().last == "unread")
        #expect(try cache.model(Person.self, 1)?.age == 2)
        // A reader comes before the observer: he has what has been read, and then what was told.
        heard.queue.suspend()
        try cache.merge(1, ["name": "d0"])
        try cache.merge(1, ["age": "none"])
        #expect(cache[lastGood: Person.self, 1]?.name == "unread")
        heard.queue.resume()
        #expect(heard.take() == ["d0", "d0"])
        #expect(cache[lastGood: Person.self, 1]?.name == "d0")
        observation.cancel()
    }

    @Test func `a record whose id is none is not told, but for its problem`() throws {
        let (heard, observation) = observe(cache.models(Person.self))
        try cache.write(.merge, "one", ["name": "Ada", "age": 36], "origin")
        #expect(heard.all.isEmpty)
        #expect(cache.problems.count == 1)
        observation.cancel()
    }
}
