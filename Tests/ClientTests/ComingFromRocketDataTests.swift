import Dispatch
import Modelcast
import ModelcastMacros
import ModelcastTesting
import Observation
import Testing

/// What the article "Coming from other libraries" says of RocketData and ConsistencyManager.
@Suite(.timeLimit(.minutes(2))) struct ComingFromRocketDataTests {
    @Model struct User {
        @ID let id: String
        @Field("nick_name") var nickName: String
        var age: Int?
        var homepage: String?
    }

    @Model("User") struct UserCard {
        @ID let id: String
        @Field("nick_name") var title: String
        @Field("homepage") var link: String?
    }

    @Model struct Message {
        @ID let id: String
        var text: String
        var author: Reference<User>
    }

    @Model struct Team {
        @ID let id: String
        var members: [Reference<User>]
    }

    private let ada = User(id: "1", nickName: "Ada", age: 36, homepage: "a.org")

    @Test func `the newest model is read at any time, and a live one has it when it changes`() async throws {
        try await withPair { publisher, subscriber, network in
            let queue = DispatchQueue(label: "live")
            let live = subscriber.live(User.self, "1", on: queue)
            #expect(subscriber[lastGood: User.self, "1"] == nil && live.model == nil && live.nickName == nil)
            let told = ToldList<String>()
            withObservationTracking {
                _ = live.age
            } onChange: {
                told.add("age")
            }
            try publisher.merge(ada)
            try await network.settle()
            for _ in 0..<2 { queue.sync {} }
            #expect(subscriber[lastGood: User.self, "1"] == ada)
            #expect(live.model == ada && live.age == 36 && told.take() == ["age"])
        }
    }

    @Test func `what a publisher writes is in its own copy in the next line`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(ada)
            #expect(publisher[lastGood: User.self, "1"] == ada)
            try publisher.update(User.self, "1") { $0.age = 37 }
            #expect(publisher[lastGood: User.self, "1"]?.age == 37)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.age == 37)
        }
    }

    @Test func `a collection is a condition, and it is told who enters, changes and leaves`() async throws {
        try await withPair { publisher, subscriber, network in
            let adults = ChangeRecorder(of: subscriber.models(User.self).where { ($0.age ?? 0) > 17 })
            func write(_ body: () throws -> Void) async throws -> [String] {
                try body()
                try await network.settle()
                return adults.take().map { "\($0.step) \($0.new?.nickName ?? "gone")" }
            }
            try await #expect(write { try publisher.merge(User(id: "2", nickName: "Bob", age: 17)) } == [])
            try await #expect(write { try publisher.merge(ada) } == ["entered Ada"])
            try await #expect(write { try publisher.update(User.self, "2") { $0.age = 18 } } == ["entered Bob"])
            try await #expect(write { try publisher.update(User.self, "1") { $0.age = 37 } } == ["changed Ada"])
            try await #expect(write { try publisher.update(User.self, "2") { $0.age = 3 } } == ["left Bob"])
            try await #expect(write { try publisher.delete(User.self, "1") } == ["left gone"])
        }
    }

    @Test func `a list with an order is an array of references, which is followed with its models`() async throws {
        try await withPair { publisher, subscriber, network in
            let told = ToldList<[String]>()
            let following = subscriber.models(Team.self, "t").observe(
                following: { $0.members }, on: told.queue, { told.add($0.references.map(\.nickName)) })
            try publisher.transaction { writes in
                try writes.merge(ada)
                try writes.merge(User(id: "2", nickName: "Bob"))
                try writes.merge(Team(id: "t", members: [Reference("2"), Reference("1")]))
            }
            try await network.settle()
            #expect(told.take() == [["Bob", "Ada"]])
            try publisher.update(Team.self, "t") { $0.members.reverse() }
            try await network.settle()
            #expect(told.take() == [["Ada", "Bob"]])
            try publisher.update(User.self, "2") { $0.nickName = "Rob" }
            try await network.settle()
            #expect(told.take() == [["Ada", "Rob"]])
            following.cancel()
        }
    }

    @Test func `several types are projections of one model, and each tells what is unknown from what is null`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            let card: UserCard = try PlainJSON.read(#"{"id": "1", "nick_name": "Ada"}"#)
            try publisher.merge(card)
            try await network.settle()
            let user = try #require(subscriber[lastGood: User.self, "1"])
            #expect(user.nickName == "Ada" && !user.knows(\.age) && !user.knows(\.homepage))
            try publisher.merge(User(id: "1", nickName: "Ada", age: 36, homepage: nil))
            try await network.settle()
            let whole = try #require(subscriber[lastGood: UserCard.self, "1"])
            #expect(whole.title == "Ada" && whole.link == nil && whole.knows(\.link))
            // A card says nothing of the age.
            try publisher.update(UserCard.self, "1") { ($0.title, $0.link) = ("Ada L.", "a.org") }
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.with { $0.nickName = "Ada" } == ada)
        }
    }

    @Test func `a listener is told which fields changed, on a queue or in a sequence`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(ada)
            try await network.settle()
            let told = ToldList<[String]>()
            let observation = subscriber.models(User.self, "1").observe(on: told.queue) { changes in
                for change in changes { told.add(change.change.changedFields) }
            }
            let stream = subscriber.models(User.self, "1").stream()
            #expect(told.take().map(Set.init) == [["nick_name", "age", "homepage"]])
            try publisher.update(User.self, "1") { $0.age = 37 }
            try await network.settle()
            #expect(told.take() == [["age"]])
            var heard: [Bool] = []
            for await changes in stream {
                heard += changes.map { $0.isInitial ? $0.new?.age == 36 : $0.changes(\.age) && !$0.changes(\.nickName) }
                if changes.last?.isInitial == false { break }
            }
            #expect(heard == [true, true])
            observation.cancel()
        }
    }

    @Test func `a listener is told of a model and of those that it refers to`() async throws {
        try await withPair { publisher, subscriber, network in
            let told = ToldList<String>()
            let following = subscriber.models(Message.self, "m").observe(
                following: { [$0.author] }, on: told.queue,
                { told.add("\($0.model?.text ?? "gone") by \($0.references.map(\.nickName))") })
            try publisher.transaction { writes in
                try writes.merge(ada)
                try writes.merge(Message(id: "m", text: "Hello", author: Reference(to: ada)))
            }
            try await network.settle()
            #expect(told.take() == [#"Hello by ["Ada"]"#])
            try publisher.update(User.self, "1") { $0.nickName = "Ada L." }
            try await network.settle()
            #expect(told.take() == [#"Hello by ["Ada L."]"#])
            following.cancel()
        }
    }

    @Test func `what a publisher writes itself is told, or left out by the publisher's name`() async throws {
        try await withNetwork { network in
            let own = try await network.publisher("own")
            let other = try await network.publisher("other")
            let subscriber = try network.subscriber(of: ["own", "other"])
            let all = ChangeRecorder(of: subscriber.models(User.self))
            let others = ChangeRecorder(of: subscriber.models(User.self).without(origin: "own"))
            try own.merge(ada)
            try await network.settle()
            #expect(all.take().map(\.origin) == ["own"] && others.take().isEmpty)
            try await network.advance(by: .milliseconds(100))
            try other.merge("User", "1", ["age": 37])
            try await network.settle()
            #expect(all.take().map(\.new?.age) == [37])
            #expect(others.take().map { [$0.old?.age, $0.new?.age] } == [[36, 37]])
        }
    }

    @Test func `a listener that does not come is owed folded changes, with all fields that changed on the way`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            let ids = (0..<1_500).map { "\($0)" }
            func writeAll(_ change: (inout User.Partial) -> Void) async throws {
                try publisher.transaction { writes in
                    for id in ids {
                        var partial = User.Partial(id: id)
                        change(&partial)
                        try writes.merge(partial)
                    }
                }
                try await network.settle()
            }
            try await writeAll { ($0.nickName, $0.age) = (.value("Ada"), .value(0)) }
            let told = ToldList<ModelChange<User>>()
            let observation = subscriber.models(User.self).observe(on: told.queue) { changes in
                for change in changes { told.add(change) }
            }
            #expect(told.take().count == ids.count)
            told.queue.suspend()
            try await writeAll { $0.age = .value(1) }
            try await writeAll { $0.homepage = .value("a.org") }
            try await writeAll { $0.age = .value(0) }
            told.queue.resume()
            let folded = told.take()
            // 4,500 changes, and 4,096 may wait.
            #expect(folded.count == ids.count && Set(folded.map(\.id)) == Set(ids))
            #expect(folded.allSatisfy { $0.isFolded && $0.changes(\.age) && $0.changes(\.homepage) })
            #expect(folded.allSatisfy { $0.old?.homepage == nil && $0.new?.homepage == "a.org" && $0.new?.age == 0 })
            #expect(folded.allSatisfy { !$0.changes(\.nickName) })
            observation.cancel()
        }
    }

    @Test func `a queue that is suspended is a pause, after which each change is told`() async throws {
        try await withPair { publisher, subscriber, network in
            let told = ToldList<Int?>()
            let observation = subscriber.models(User.self, "1").observe(on: told.queue) { changes in
                for change in changes { told.add(change.new?.age) }
            }
            try publisher.merge(ada)
            try await network.settle()
            #expect(told.take() == [36])
            told.queue.suspend()
            for age in 37...39 {
                try publisher.update(User.self, "1") { $0.age = age }
                try await network.settle()
            }
            told.queue.resume()
            #expect(told.take() == [37, 38, 39])
            observation.cancel()
        }
    }
}
