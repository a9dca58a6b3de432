import Dispatch
import Modelcast
import ModelcastMacros
import ModelcastTesting
import Synchronization
import Testing

/// What the article "Coming from other libraries" says of DDKeyPathChannel.
@Suite(.timeLimit(.minutes(2))) struct ComingFromChannelTests {
    @Nested struct Address {
        var street: String
        var city: String
    }

    @Model struct User {
        @ID let id: String
        @Field("nick_name") var nickName: String
        var age: Int?
        var address: Address?
    }

    /// A card of another library, which knows nothing of models, and may be set on any thread.
    final class Card: Sendable {
        private let texts = Mutex<(title: String, subtitle: String)>(("", ""))
        /// How often the title was set.
        let titleCount = Atomic(0)

        var title: String {
            get { texts.withLock { $0.title } }
            set {
                titleCount.add(1, ordering: .relaxed)
                texts.withLock { $0.title = newValue }
            }
        }
        var subtitle: String {
            get { texts.withLock { $0.subtitle } }
            set { texts.withLock { $0.subtitle = newValue } }
        }
    }

    /// A view of the main actor.
    @MainActor final class Screen {
        var title = ""
        var subtitle = ""
    }

    /// A row of a list that is tied to no actor, and not Sendable.
    final class Row {
        var title = ""
    }

    private let ada = User(id: "1", nickName: "Ada", age: 36, address: Address(street: "S", city: "Ely"))

    @Test func `who observes a type and an id, by names or as a Swift type, hears of that model alone`() async throws {
        try await withPair { publisher, subscriber, network in
            let byNames = ChangeRecorder(of: subscriber, .model(type: "User", id: "1"))
            let typed = ChangeRecorder(of: subscriber.models(User.self, "1"))
            try publisher.merge(ada)
            try publisher.merge(User(id: "2", nickName: "Grace"))
            try await network.settle()
            #expect(byNames.take().map { $0.new?["nick_name"] } == ["Ada"])
            #expect(typed.take().map(\.new) == [ada])
        }
    }

    @Test func `properties of an object follow a list of properties of a model, each converted as it says`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            let (card, queue) = (Card(), DispatchQueue(label: "card"))
            try publisher.merge(ada)
            try await network.settle()
            let binding = subscriber.bind(User.self, "1", to: card, on: queue) {
                $0.map(\.nickName, to: \.title)
                $0.map(\.age, to: \.subtitle) { age in age.map { "\($0) years" } ?? "no age" }
            }
            queue.sync {}
            #expect(card.title == "Ada" && card.subtitle == "36 years")
            try publisher.update(User.self, "1") { $0.age = nil }
            try await network.settle()
            for _ in 0..<2 { queue.sync {} }
            #expect(card.subtitle == "no age")
            // Set once, as the name has not changed since.
            #expect(card.titleCount.load(ordering: .relaxed) == 1)
            binding.cancel()
        }
    }

    @Test @MainActor func `a view of the main actor follows there, without a queue and without being Sendable`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            let screen = Screen()
            let (told, tell) = AsyncStream.makeStream(of: String.self)
            let binding = subscriber.bind(User.self, "1", to: screen) {
                $0.map(\.nickName, to: \.title)
                $0.map(\.age, to: \.subtitle) { age in age.map { "\($0) years" } ?? "no age" }
                $0.didChange { screen, _ in tell.yield("\(screen.title), \(screen.subtitle)") }
            }
            let row = Row()
            let (shown, show) = AsyncStream.makeStream(of: String.self)
            let other = subscriber.bind(User.self, "1", to: row) {
                $0.map(\.nickName, to: \.title)
                $0.didChange { row, _ in show.yield(row.title) }
            }
            var turns = told.makeAsyncIterator()
            var rows = shown.makeAsyncIterator()
            try publisher.merge(ada)
            #expect(await turns.next() == "Ada, 36 years")
            #expect(await rows.next() == "Ada")
            try publisher.update(User.self, "1") { $0.nickName = "Ada L." }
            #expect(await turns.next() == "Ada L., 36 years")
            #expect(await rows.next() == "Ada L.")
            binding.cancel()
            other.cancel()
        }
    }

    @Test func `hooks are called around each change of a mapped property, whoever writes it and however`()
        async throws
    {
        try await withNetwork { network in
            let near = try await network.publisher("near")
            let far = try await network.publisher("far")
            let subscriber = try network.subscriber(of: ["near", "far"])
            let (card, told) = (Card(), ToldList<String>())
            let binding = subscriber.bind(User.self, "1", to: card, on: told.queue) {
                $0.willChange { card, _ in told.add("will \(card.title)") }
                $0.map(\.nickName, to: \.title)
                $0.didChange { card, change in told.add("did \(card.title), \(change.step), by \(change.origin)") }
            }
            try near.merge(ada)
            try await network.settle()
            #expect(told.take() == ["will ", "did Ada, entered, by near"])
            // Not mapped, so nobody is called.
            try near.update(User.self, "1") { $0.age = 37 }
            try await network.settle()
            #expect(told.take().isEmpty)
            try await network.advance(by: .milliseconds(100))
            try far.merge("User", "1", ["nick_name": "Ada L."])
            try await network.settle()
            #expect(told.take() == ["will Ada", "did Ada L., changed, by far"])
            // The model goes: the hooks are called, and the card stays as it is.
            try await network.advance(by: .milliseconds(100))
            try near.delete(User.self, "1")
            try await network.settle()
            #expect(told.take() == ["will Ada L.", "did Ada L., left, by near"])
            binding.cancel()
        }
    }

    @Test func `a group is mapped as a whole, and what is in it by its path`() async throws {
        try await withPair { publisher, subscriber, network in
            let (card, told) = (Card(), ToldList<String>())
            let whole = subscriber.bind(User.self, "1", to: card, on: told.queue) {
                $0.map(\.address, to: \.title) { $0?.city ?? "nowhere" }
                $0.didChange { card, _ in told.add("whole \(card.title)") }
            }
            let part = subscriber.bind(User.self, "1", to: card, on: told.queue) {
                $0.map(\.address?.city, to: \.subtitle) { $0 ?? "nowhere" }
                $0.didChange { card, _ in told.add("part \(card.subtitle)") }
            }
            try publisher.merge(ada)
            try await network.settle()
            #expect(Set(told.take()) == ["whole Ely", "part Ely"])
            try publisher.update(User.self, "1") { $0.address?.city = "York" }
            try await network.settle()
            #expect(Set(told.take()) == ["whole York", "part York"])
            try publisher.update(User.self, "1") { $0.nickName = "Ada L." }
            try await network.settle()
            #expect(told.take().isEmpty)
            try publisher.update(User.self, "1") { $0.address = nil }
            try await network.settle()
            #expect(Set(told.take()) == ["whole nowhere", "part nowhere"])
            whole.cancel()
            part.cancel()
        }
    }

    @Test func `a binding ends by being cancelled or released, and the others of the same object stay`() async throws {
        try await withPair { publisher, subscriber, network in
            let (card, queue) = (Card(), DispatchQueue(label: "card"))
            func settle() async throws {
                try await network.settle()
                for _ in 0..<2 { queue.sync {} }
            }
            try publisher.merge(ada)
            try await network.settle()
            let title = subscriber.bind(User.self, "1", to: card, on: queue) { $0.map(\.nickName, to: \.title) }
            var subtitle: CacheObservation? = subscriber.bind(User.self, "1", to: card, on: queue) {
                $0.map(\.age, to: \.subtitle) { "\($0 ?? 0)" }
            }
            queue.sync {}
            #expect(card.title == "Ada" && card.subtitle == "36" && subtitle != nil)
            title.cancel()
            try publisher.update(User.self, "1") { ($0.nickName, $0.age) = ("Grace", 85) }
            try await settle()
            #expect(card.title == "Ada" && card.subtitle == "85")
            subtitle = nil
            try publisher.update(User.self, "1") { $0.age = 86 }
            try await settle()
            #expect(card.subtitle == "85")
        }
    }

    @Test func `a binding does not keep its object alive`() async throws {
        try await withPair { publisher, subscriber, network in
            var card: Card? = Card()
            weak let gone = card
            let binding = subscriber.bind(User.self, "1", to: try #require(card), on: DispatchQueue(label: "card")) {
                $0.map(\.nickName, to: \.title)
            }
            #expect(gone != nil)
            card = nil
            #expect(gone == nil)
            try publisher.merge(ada)
            try await network.settle()
            binding.cancel()
        }
    }
}
