import Dispatch
import ModelCache
import ModelRecord
import ModelTypes
import ModelViews
import Observation
import Synchronization
import Testing

/// Objects that follow a model: live models, bindings, bags.
@Suite(.timeLimit(.minutes(15))) struct FollowingTests {
    private let cache = ModelCache()
    private let queue = DispatchQueue(label: "FollowingTests")

    /// Of another library, knowing nothing of models; its properties are set on one queue.
    private final class Card: @unchecked Sendable {
        var title = ""
        var years = ""
        var log: [String] = []
    }

    // MARK: Live models

    @Test func `a live model has the properties of the model, and nil where there is none`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        let ada = LiveModel(Person.self, 1, in: cache, on: queue)
        let grace = LiveModel(Person.self, 2, in: cache, on: queue)
        #expect(ada.name == "Ada" && ada.age == 36 && grace.name == nil)
        try cache.merge(2, ["name": "Grace", "age": 85])
        try cache.merge(1, ["age": 37])
        queue.sync {}
        #expect(ada.age == 37 && grace.name == "Grace")
        try cache.delete(1)
        queue.sync {}
        #expect(ada.model == nil && ada.modelState == nil && ada.name == nil)
    }

    @Test func `a property that may be nil is nil once, without a model too`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        let ada = LiveModel(Person.self, 1, in: cache, on: queue)
        let boss: Reference<Person>? = ada.boss
        #expect(boss == nil)
        let heard = Heard<String>()
        withObservationTracking {
            _ = ada.boss
        } onChange: {
            heard.add("boss")
        }
        try cache.merge(1, ["age": 37])
        queue.sync {}
        #expect(heard.take().isEmpty)
        try cache.merge(1, ["boss": "2"])
        queue.sync {}
        #expect(heard.take() == ["boss"] && ada.boss?.id == 2)
    }

    @Test func `who reads a property of a live model is told when that changes, and of no other`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        let ada = LiveModel(Person.self, 1, in: cache, on: queue)
        queue.sync {}
        let heard = Heard<String>()
        withObservationTracking {
            #expect(ada.name == "Ada")
        } onChange: {
            heard.add("name")
        }
        withObservationTracking {
            #expect(ada.age == 36)
        } onChange: {
            heard.add("age")
        }
        withObservationTracking {
            #expect(ada.model != nil)
        } onChange: {
            heard.add("model")
        }
        try cache.merge(1, ["age": 37])
        queue.sync {}
        #expect(heard.take().sorted() == ["age", "model"])
        try cache.merge(1, ["name": "Ada L."])
        queue.sync {}
        #expect(heard.all == ["name"])
    }

    @Test func `a property that is computed of others is told of when it has another value`() throws {
        try cache.merge(1, ["name": "Ada", "age": 16])
        let (ada, heard) = (LiveModel(Person.self, 1, in: cache, on: queue), Heard<String>())
        withObservationTracking {
            #expect(ada.isAdult == false)
        } onChange: {
            heard.add("adult")
        }
        try cache.merge(1, ["age": 17])
        queue.sync {}
        #expect(heard.take().isEmpty && ada.age == 17)
        try cache.merge(1, ["age": 18])
        queue.sync {}
        #expect(heard.take() == ["adult"] && ada.isAdult == true)
    }

    @Test func `what becomes readable by another field is told to those who read it, and set in objects`() throws {
        let (ada, card, heard) = (LiveModel(Person.self, 1, in: cache, on: queue), Card(), Heard<String>())
        let binding = cache.bind(Person.self, 1, to: card, on: queue) { $0.map(\.name, to: \.title) }
        func watch() {
            withObservationTracking {
                _ = ada.name
            } onChange: {
                heard.add("name")
            }
        }
        try cache.merge(1, ["name": "Ada"])
        queue.sync {}
        watch()
        #expect(ada.name == nil && card.title.isEmpty)
        try cache.merge(1, ["age": 36])
        queue.sync {}
        #expect(ada.name == "Ada" && card.title == "Ada" && heard.take() == ["name"])
        watch()
        try cache.merge(1, ["name": "Grace", "age": "old"])
        queue.sync {}
        #expect(ada.name == "Ada" && ada.modelState?.problem != nil && card.title == "Ada")
        try cache.merge(1, ["age": 85])
        queue.sync {}
        #expect(ada.name == "Grace" && card.title == "Grace" && heard.take() == ["name"])
        binding.cancel()
    }

    @Test func `a live model never goes back while a writer is at work`() throws {
        final class Progress: Sendable {
            let isDone = Atomic(false)
        }
        let progress = Progress()
        try cache.merge(1, ["name": "Ada", "age": 0])
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                for age in 1...2000 { _ = try? cache.merge(1, ["age": .int(Int64(age))]) }
                progress.isDone.store(true, ordering: .releasing)
                return
            }
            while !progress.isDone.load(ordering: .acquiring) {
                let ada = LiveModel(Person.self, 1, in: cache, on: DispatchQueue(label: "live"))
                var last = 0
                for _ in 0..<50 {
                    let age = ada.age ?? -1
                    #expect(age >= last)
                    last = age
                }
            }
        }
    }

    @Test func `a live model that is released follows no more`() throws {
        weak var weakly: LiveModel<Person>?
        do {
            let ada = LiveModel(Person.self, 1, in: cache, on: queue)
            weakly = ada
            try cache.merge(1, ["name": "Ada", "age": 36])
            queue.sync {}
            #expect(ada.name == "Ada")
        }
        #expect(weakly == nil)
        try cache.merge(1, ["age": 37])
        queue.sync {}
    }

    // MARK: Bindings

    /// What a view shows.
    @MainActor private final class Screen {
        var title = ""
        var former = ""
        var years = ""
        var told = 0
    }

    /// Waits until both observations have told the screen of one change.
    @MainActor private func told(_ screen: Screen?) async -> Bool {
        for _ in 0..<100_000 where screen?.told ?? 0 < 101 { await Task.yield() }
        return screen?.told == 101
    }

    @Test @MainActor func `an object of the main actor follows a model there, and is not kept alive`() async throws {
        var screen: Screen? = Screen()
        weak let gone = screen
        let observations = try [
            cache.bind(Person.self, 1, to: #require(screen)) {
                $0.map(\.name, to: \.title)
                $0.map(\.age, to: \.years) { "\($0) years" }
                $0.willChange { screen, _ in screen.former = screen.title }
                $0.didChange { screen, _ in screen.told += 1 }
            },
            cache.models(Person.self).observeOnMainActor(for: #require(screen)) { screen, changes in
                screen.told += 100 * changes.count
            },
        ]
        try cache.merge(1, ["name": "Ada", "age": 36])
        #expect(await told(screen))
        #expect(screen?.title == "Ada" && screen?.years == "36 years" && screen?.former == "")
        screen?.told = 0
        try cache.merge(1, ["name": "Grace"])
        #expect(await told(screen))
        #expect(screen?.title == "Grace" && screen?.former == "Ada")
        screen = nil
        #expect(gone == nil)
        try cache.merge(1, ["name": "Mary"])
        for observation in observations { observation.cancel() }
    }

    @Test func `properties of an object follow those of a model, converted, until the binding ends`() throws {
        let card = Card()
        let binding = cache.bind(Person.self, 1, to: card, on: queue) {
            $0.map(\.name, to: \.title)
            $0.map(\.age, to: \.years) { "\($0) years" }
        }
        try cache.merge(1, ["name": "Ada", "age": 36])
        queue.sync {}
        #expect(card.title == "Ada" && card.years == "36 years")
        try cache.merge(1, ["age": 37])
        try cache.delete(1)
        queue.sync {}
        #expect(card.title == "Ada" && card.years == "37 years")
        binding.cancel()
        try cache.merge(1, ["name": "Grace", "age": 85])
        queue.sync {}
        #expect(card.title == "Ada")
    }

    @Test func `only properties whose field has changed are set, between the hooks`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        let card = Card()
        let binding = cache.bind(Person.self, 1, to: card, on: queue) {
            $0.willChange { card, _ in card.log.append("will \(card.title)") }
            $0.map(\.name, to: \.title)
            $0.didChange { card, change in card.log.append("did \(card.title) \(change.step)") }
        }
        queue.sync {}
        card.title = "mine"
        try cache.merge(1, ["age": 37])
        queue.sync {}
        #expect(card.title == "mine")
        try cache.merge(1, ["name": "Grace"])
        try cache.delete(1)
        queue.sync {}
        #expect(
            card.log == [
                "will ", "did Ada entered", "will mine", "did Grace changed", "will Grace", "did Grace left",
            ])
        binding.cancel()
    }

    @Test func `of a property that is no field the values decide whether it is set`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        let card = Card()
        let binding = cache.bind(Person.self, 1, to: card, on: queue) {
            $0.map(\.name.count, to: \.years) { "\($0) letters" }
            $0.map(\.boss?.id, to: \.title) { "\($0 ?? 0)" }
            $0.didChange { card, _ in card.log.append("\(card.years), \(card.title)") }
        }
        try cache.merge(1, ["age": 37])
        try cache.merge(1, ["name": "Eve"])
        queue.sync {}
        try cache.merge(1, ["name": "Grace"])
        queue.sync {}
        try cache.merge(1, ["boss": "2"])
        queue.sync {}
        #expect(card.log.last == "5 letters, 2" && card.log.suffix(3).first == "3 letters, 0" && card.log.count <= 4)
        binding.cancel()
    }

    @Test func `several bindings of one object end independently`() throws {
        let card = Card()
        let title = cache.bind(Person.self, 1, to: card, on: queue) { $0.map(\.name, to: \.title) }
        let years = cache.bind(Person.self, 2, to: card, on: queue) { $0.map(\.age, to: \.years) { "\($0)" } }
        try cache.merge(1, ["name": "Ada", "age": 36])
        title.cancel()
        try cache.merge(2, ["name": "Grace", "age": 85])
        try cache.merge(1, ["name": "Eve"])
        queue.sync {}
        #expect(card.title != "Eve" && card.years == "85")
        years.cancel()
    }

    @Test func `a binding keeps its object not alive`() throws {
        var card: Card? = Card()
        weak let weakly = card
        let binding = cache.bind(Person.self, 1, to: card!, on: queue) { $0.map(\.name, to: \.title) }
        card = nil
        #expect(weakly == nil)
        try cache.merge(1, ["name": "Ada", "age": 36])
        queue.sync {}
        binding.cancel()
    }

    // MARK: References

    private func follow(_ models: Models<Person>) -> (Heard<String>, ModelFollowing) {
        let heard = Heard<String>()
        let boss: @Sendable (Person) -> [Reference<Person>] = { $0.boss.map { [$0] } ?? [] }
        let following = models.observe(following: boss, on: heard.queue) { told in
            heard.add("\(told.model?.name ?? "nobody") under \(told.references.map(\.name))")
        }
        return (heard, following)
    }

    @Test func `a model and those that it refers to are told of when any of them changes`() throws {
        let (heard, following) = follow(cache.models(Person.self, 1))
        try cache.merge(1, ["name": "Ada", "age": 36, "boss": "2"])
        #expect(heard.take() == ["Ada under []"])
        try cache.merge(2, ["name": "Grace", "age": 85])
        #expect(heard.take() == [#"Ada under ["Grace"]"#])
        try cache.merge(2, ["name": "Eve"])
        #expect(heard.take() == [#"Ada under ["Eve"]"#])
        // Another boss: the one before is of no interest any more.
        try cache.merge(3, ["name": "Ida", "age": 50])
        try cache.merge(1, ["boss": "3"])
        #expect(heard.take() == [#"Ada under ["Ida"]"#])
        try cache.merge(2, ["name": "Mallory"])
        #expect(heard.take().isEmpty)
        try cache.delete(3)
        #expect(heard.take() == ["Ada under []"])
        try cache.delete(1)
        #expect(heard.take() == ["nobody under []"])
        following.cancel()
        try cache.merge(1, ["name": "Ada", "age": 36])
        #expect(heard.take().isEmpty)
    }

    @Test func `a reference that goes while it is looked at is not missed`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36, "boss": "2"])
        try cache.merge(2, ["name": "Grace", "age": 85])
        let heard = Heard<String>()
        let cache = cache
        let following = cache.models(Person.self, 1).observe(
            following: { person -> [Reference<Person>] in
                // Behind the snapshot, and before the registration.
                try? cache.delete(2)
                return person.boss.map { [$0] } ?? []
            }, on: heard.queue,
            { told in heard.add("\(told.id) \(told.references.map(\.name))") })
        _ = heard.all
        #expect(heard.all.last == "1 []")
        following.cancel()
    }

    @Test func `where there is a condition, a model that cannot be made is as one that is gone`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36])
        let (heard, following) = follow(cache.models(Person.self).where { $0.age > 17 })
        #expect(heard.take() == ["Ada under []"])
        try cache.merge(1, ["age": "old"])
        #expect(heard.take() == ["nobody under []"])
        following.cancel()
    }

    @Test func `references are followed for all models of a type, and one deep`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36, "boss": "2"])
        try cache.merge(2, ["name": "Grace", "age": 85, "boss": "3"])
        try cache.merge(3, ["name": "Ida", "age": 50])
        let (heard, following) = follow(cache.models(Person.self))
        #expect(
            heard.take().sorted() == [#"Ada under ["Grace"]"#, #"Grace under ["Ida"]"#, "Ida under []"])
        try cache.merge(3, ["name": "Eve"])
        #expect(heard.take().sorted() == ["Eve under []", #"Grace under ["Eve"]"#])
        following.cancel()
    }

    @Test func `a model and its reference that change in one step are told of once, together`() throws {
        try cache.merge(1, ["name": "Ada", "age": 36, "boss": "2"])
        try cache.merge(2, ["name": "Grace", "age": 85])
        let (heard, following) = follow(cache.models(Person.self, 1))
        _ = heard.take()
        try cache.merge([1: ["name": "Ada L."], 2: ["name": "Grace H."]])
        #expect(heard.take() == [#"Ada L. under ["Grace H."]"#])
        following.cancel()
    }

    // MARK: Bags

    @Test func `a bag ends its observations when it is released`() throws {
        let heard = Heard<Int>()
        do {
            let bag = ObservationBag()
            bag.add(cache.models(Person.self, 1).observe(on: heard.queue) { _ in heard.add(1) })
            bag.add(cache.models(Person.self, 2).observe(on: heard.queue) { _ in heard.add(2) })
            bag.add(cache.problems.observe(on: heard.queue) { _ in heard.add(3) })
            try cache.merge(1, ["name": "Ada", "age": 36])
            #expect(heard.all == [1])
            bag.removeAll()
            bag.add(cache.models(Person.self, 2).observe(on: heard.queue) { _ in heard.add(2) })
            try cache.merge(1, ["age": 37])
            try cache.merge(2, ["name": "Grace", "age": 85])
            #expect(heard.take() == [1, 2])
        }
        try cache.merge(2, ["age": 86])
        #expect(heard.all.isEmpty)
    }
}
