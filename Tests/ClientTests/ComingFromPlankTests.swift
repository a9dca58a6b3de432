import Foundation
import Modelcast
import ModelcastMacros
import ModelcastTesting
import Testing

/// What the article "Coming from other libraries" says of Plank and PINCache.
@Suite(.timeLimit(.minutes(2))) struct ComingFromPlankTests {
    @Nested struct Address {
        var street: String
        var city: String
    }

    @FieldValue struct Badge {
        var name: String
        var level: Int?
    }

    @Nested struct Video { var url: String, seconds: Int }

    @OneOf(.tagged(by: "type")) enum Cover {
        case image(Address)
        case video(Video)
    }

    @OneOf(.bare) enum Link {
        case number(Int)
        case text(String)
    }

    @Model struct User {
        @ID let id: String
        @Field("nick_name") var nickName: String
        var age: Int?
        var address: Address?
        var badge: Badge?
        var badges: [Badge] = []
        var badgesByYear: [String: Badge]?
        var cover: Cover?
        var link: Link?
    }

    private static let ada = #"{"id": "1", "nick_name": "Ada"}"#

    @Test func `a struct has the equality, the text and the JSON that a generated class had`() throws {
        let user = User(id: "1", nickName: "Ada", age: 36, badges: [Badge(name: "first")])
        let same = User(id: "1", nickName: "Ada", age: 36, badges: [Badge(name: "first")])
        #expect(user == same && Set([user, same]).count == 1)
        #expect(User.modelType == "User")
        #expect("\(user)".hasPrefix(#"User(id: "1", nickName: "Ada", age: 36"#), "\(user)")
        #expect(try PlainJSON.read(PlainJSON.text(user)) == user)
        #expect(user.with { $0.age = 37 } != user)
    }

    @Test func `a document that fits in part is an error with its path, and its parts are in the partial`() throws {
        let whole: User = try PlainJSON.read(
            #"{"id": "1", "nick_name": "Ada", "address": {"street": "S", "city": "Ely"}}"#)
        #expect(whole.address == Address(street: "S", city: "Ely"))

        let part = #"{"id": "1", "nick_name": "Ada", "age": 36, "address": {"street": "S", "city": 7}}"#
        let refusal = try #require(PlainJSON.refusal(part, as: User.self))
        #expect(refusal.path == "address.city" && refusal.words.contains("7 is not text"), "\(refusal)")
        let partial: User.Partial = try PlainJSON.read(part)
        #expect(partial.nickName == .value("Ada") && partial.age == .value(36) && partial.badge == .unknown)
        #expect(partial.address.fault?.part == "city" && partial.address.value == nil)
    }

    @Test func `of two writers of one struct each keeps its property, and of one field value the later has all`()
        async throws
    {
        try await withNetwork { network in
            let near = try await network.publisher("near")
            let far = try await network.publisher("far")
            let subscriber = try network.subscriber(of: ["near", "far"])
            let old = User(
                id: "1", nickName: "Ada", address: Address(street: "S", city: "Ely"),
                badge: Badge(name: "first", level: 1))
            try near.merge(old)
            try await network.settle()
            let read = try #require(try subscriber.model(User.self, "1"))
            #expect(read == old)
            try near.merge(
                changesFrom: read,
                to: read.with {
                    $0.address?.city = "York"
                    $0.badge?.name = "second"
                })
            try await network.advance(by: .milliseconds(100))
            try far.merge(
                changesFrom: read,
                to: read.with {
                    $0.address?.street = "T"
                    $0.badge?.level = 2
                })
            try await network.settle()
            let now = try #require(try subscriber.model(User.self, "1"))
            #expect(now.address == Address(street: "T", city: "York"))
            #expect(now.badge == Badge(name: "first", level: 2))
        }
    }

    @Test func `field values stand in arrays and maps, and travel as one field each`() async throws {
        try await withPair { publisher, subscriber, network in
            let user: User = try PlainJSON.read(
                #"{"id": "1", "nick_name": "Ada", "badges": [{"name": "a"}], "badgesByYear": {"1843": {"name": "b"}}}"#)
            try publisher.merge(user)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.badges == [Badge(name: "a")])
            #expect(subscriber[lastGood: User.self, "1"]?.badgesByYear == ["1843": Badge(name: "b")])
            #expect(subscriber["User", "1"]?["badges"] == [["name": "a", "level": nil]])
        }
    }

    @Test func `a copy has the changes, the original has not, and what differs is told`() throws {
        let user: User = try PlainJSON.read(Self.ada)
        let older = user.with {
            $0.age = 36
            $0.nickName = "Ada L."
        }
        #expect(older.age == 36 && older.nickName == "Ada L.")
        #expect(user.age == nil && user.nickName == "Ada")
        #expect(try older.diff(from: user) == ["age": 36, "nick_name": "Ada L."])
    }

    @Test func `a model is built in steps as a partial, and copied from that when it is complete`() throws {
        var builder = User.Partial(id: "1")
        #expect(throws: ModelProblem.self) { try builder.complete() }
        builder.nickName = .value("Ada")
        #expect(try builder.complete() == PlainJSON.read(Self.ada))
    }

    @Test func `of two writes the later wins, in whatever order they arrive`() async throws {
        try await withNetwork { network in
            let near = try await network.publisher("near")
            let far = try await network.publisher("far")
            let subscriber = try network.subscriber(of: ["near", "far"])
            try await network.settle()
            try network.hold(from: "far", to: "subscriber")
            var early = User.Partial(id: "1")
            (early.nickName, early.age) = (.value("early"), .value(1))
            try far.merge(early)
            try await network.advance(by: .milliseconds(100))
            var late = User.Partial(id: "1")
            late.nickName = .value("late")
            try near.merge(late)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.nickName == "late")
            #expect(subscriber[lastGood: User.self, "1"]?.age == nil)
            try network.release(from: "far", to: "subscriber")
            try await network.settle()
            // What arrives last is older: it brings the age, and not the name.
            #expect(subscriber[lastGood: User.self, "1"]?.nickName == "late")
            #expect(subscriber[lastGood: User.self, "1"]?.age == 1)
        }
    }

    @Test func `a key with null is told apart from one that is left out, also when models are compared`() throws {
        let unset: User = try PlainJSON.read(Self.ada)
        let null: User = try PlainJSON.read(#"{"id": "1", "nick_name": "Ada", "age": null}"#)
        #expect(unset.age == nil && !unset.knows(\.age))
        #expect(null.age == nil && null.knows(\.age))
        #expect(unset != null)
        // To set nil says nothing new of what nobody has said anything of.
        #expect(unset.with { $0.age = nil } == unset)
        #expect(try PlainJSON.text(unset) == #"{"id":"1","nick_name":"Ada"}"#)
        #expect(try PlainJSON.text(null) == #"{"age":null,"id":"1","nick_name":"Ada"}"#)
        let states: [User.Partial] = try PlainJSON.read(
            #"[{"id": "1"}, {"id": "1", "age": null}, {"id": "1", "age": 36}, {"id": "1", "age": "x"}]"#)
        #expect(states[0].age == .unknown && states[1].age == .null && states[2].age == .value(36))
        #expect(states[3].age.fault?.code == .kind)
        #expect(Set(states).count == 4)
    }

    @Test func `a model that is made by hand knows every property, and so empties what a partial leaves alone`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(User(id: "1", nickName: "Ada", age: 36))
            var partial = User.Partial(id: "1")
            partial.nickName = .value("Ada L.")
            try publisher.merge(partial)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.age == 36)
            let made = User(id: "1", nickName: "Ada L.")
            #expect(made.knows(\.age))
            try publisher.merge(made)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.nickName == "Ada L.")
            #expect(subscriber[lastGood: User.self, "1"]?.age == nil)
        }
    }

    @Test func `an enum with payloads stands in JSON as its schema has it, tagged or bare`() throws {
        let user: User = try PlainJSON.read(
            #"{"id": "1", "nick_name": "Ada", "cover": {"type": "video", "url": "v", "seconds": 9}, "link": "x"}"#)
        #expect(user.cover == .video(Video(url: "v", seconds: 9)) && user.link == .text("x"))
        let text = try PlainJSON.text(user)
        #expect(text.contains(#""cover":{"seconds":9,"type":"video","url":"v"}"#), "\(text)")
        #expect(text.contains(#""link":"x""#), "\(text)")
        let other: User = try PlainJSON.read(#"{"id": "1", "nick_name": "Ada", "link": 7}"#)
        #expect(other.link == .number(7))
    }

    @Test func `a case that nobody knows leaves the last model that was read, and what else is new in the partial`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(User(id: "1", nickName: "Ada", age: 36, cover: .video(Video(url: "v", seconds: 9))))
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.cover == .video(Video(url: "v", seconds: 9)))
            // A newer program writes what this one does not know.
            try publisher.merge("User", "1", ["cover": "hologram", "age": 37])
            try await network.settle()
            let last = subscriber[lastGood: User.self, "1"]
            #expect(last?.cover == .video(Video(url: "v", seconds: 9)) && last?.age == 36)
            let problem = #expect(throws: ModelProblem.self) { try subscriber.model(User.self, "1") }
            #expect(problem?.problems.map(\.field) == ["cover"])
            let partial = subscriber.partial(of: User.self, "1")
            #expect(partial?.age == .value(37) && partial?.cover.fault?.value == "hologram")
            // Of what nobody has read there is no last model.
            try publisher.merge(User(id: "2", nickName: "Grace", cover: .video(Video(url: "w", seconds: 1))))
            try await network.settle()
            try publisher.merge("User", "2", ["cover": "hologram"])
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "2"] == nil && subscriber["User", "2"] != nil)
        }
    }

    @Test func `an observer of a type and an id is told which properties changed, until its bag is released`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(User(id: "1", nickName: "Ada", age: 36))
            try await network.settle()
            let told = ToldList<String>()
            do {
                let bag = ObservationBag()
                bag.add(
                    subscriber.models(User.self, "1").observe(on: told.queue) { changes in
                        for change in changes {
                            let (age, name) = (change.changes(\.age), change.changes(\.nickName))
                            told.add("\(change.old?.age ?? 0) \(change.new?.age ?? 0) \(age) \(name)")
                        }
                    })
                #expect(told.take() == ["0 36 true true"])
                try publisher.update(User.self, "1") { $0.age = 37 }
                try publisher.merge(User(id: "2", nickName: "Grace", age: 85))
                try await network.settle()
                #expect(told.take() == ["36 37 true false"])
            }
            try publisher.update(User.self, "1") { $0.age = 38 }
            try await network.settle()
            #expect(told.take().isEmpty)
            #expect(subscriber[lastGood: User.self, "1"]?.age == 38)
        }
    }

    @Test func `a copy holds each model once by type and id, and on disk beyond its process`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "plank-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appending(path: "users.db").path
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let first = try network.subscriber { $0.store = store }
            try publisher.merge(User(id: "1", nickName: "Ada", age: 36))
            try publisher.merge(User(id: "1", nickName: "Ada L.", age: 36))
            try await network.settle()
            let cache: ModelCache = first.cache
            #expect(cache.count(of: "User") == 1)
            #expect(cache[lastGood: User.self, "1"] == first[lastGood: User.self, "1"])
            #expect(cache[lastGood: User.self, "1"]?.nickName == "Ada L.")
            try await network.stop("subscriber")
            try await network.stop("publisher")
            let second = try network.subscriber { $0.store = store }
            #expect(second[lastGood: User.self, "1"] == User(id: "1", nickName: "Ada L.", age: 36))
        }
    }
}
