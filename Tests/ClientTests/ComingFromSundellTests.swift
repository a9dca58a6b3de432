import Dispatch
import Modelcast
import ModelcastMacros
import ModelcastTesting
import Observation
import Testing

/// What the article "Coming from other libraries" says of Sundell's articles.
@Suite(.timeLimit(.minutes(2))) struct ComingFromSundellTests {
    @Model struct User {
        @ID let id: String
        @Constant let born: Int
        @Constant @Field("country") let home: String
        @Field("nick_name") var nickName: String
        var age: Int?
    }

    /// What is shown of that which never changes: it takes no user.
    private func badge(of user: User.Constants) -> String { "\(user.id) of \(user.home), \(user.born)" }

    private let ada = User(id: "1", born: 1815, home: "GB", nickName: "Ada", age: 36)

    @Test func `a partial is filled in steps, and completing it tells all that is missing at once`() async throws {
        var partial = User.Partial(id: "1")
        partial.age = .value(36)
        let problem = #expect(throws: ModelProblem.self) { try partial.complete() }
        #expect(problem?.problems == ["born", "country", "nick_name"].map { FieldProblem($0, nil) })
        try await withPair { publisher, subscriber, network in
            try publisher.merge(partial)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"] == nil)
            var form = try #require(subscriber.partial(of: User.self, "1"))
            #expect(form == partial)
            (form.born, form.home, form.nickName) = (.value(1815), .value("GB"), .value("Ada"))
            try publisher.merge(form.complete())
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"] == ada)
        }
    }

    @Test func `the part that never changes is a type of its own, and another value of it is refused`() async throws {
        #expect(badge(of: ada.constants) == "1 of GB, 1815")
        var partial = User.Partial(id: "1")
        (partial.born, partial.home) = (.value(1815), .value("GB"))
        #expect(try partial.constants() == ada.constants)
        try await withPair { publisher, subscriber, network in
            try publisher.merge(ada)
            let other = User(id: "1", born: 1816, home: "GB", nickName: "Ada L.", age: 36)
            let error = #expect(throws: ModelcastError.self) { try publisher.merge(other) }
            #expect(error?.code == .constant && error?.message.contains("born") == true)
            try await network.settle()
            // Nothing of the write that was refused is there.
            #expect(subscriber[lastGood: User.self, "1"] == ada)
        }
    }

    @Test func `a live model has constants that nobody need observe, and who reads one property is told of that one`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(ada)
            try await network.settle()
            let (queue, told) = (DispatchQueue(label: "live"), ToldList<String>())
            let user = subscriber.live(User.self, "1", on: queue)
            queue.sync {}
            func watch(_ name: String, _ read: () -> Void) {
                withObservationTracking(read) { told.add(name) }
            }
            func write(_ change: (inout User) -> Void) async throws -> [String] {
                try publisher.update(User.self, "1") { change(&$0) }
                try await network.settle()
                for _ in 0..<2 { queue.sync {} }
                return told.take()
            }
            watch("constants") { _ = user.constants.map(badge(of:)) }
            watch("name") { _ = user.nickName }
            watch("age") { _ = user.age }
            #expect(user.constants.map(badge(of:)) == "1 of GB, 1815")
            try await #expect(write { $0.age = 37 } == ["age"])
            try await #expect(write { $0.nickName = "Ada L." } == ["name"])
            #expect(user.nickName == "Ada L." && user.age == 37 && user.born == 1815)
        }
    }

    @Test func `an observation ends with its token, and a live model with the last who holds it`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(ada)
            try await network.settle()
            let (queue, told) = (DispatchQueue(label: "live"), ToldList<String>())
            weak var gone: LiveModel<User>?
            do {
                let token = subscriber.models(User.self, "1").observe(on: told.queue) { changes in
                    for change in changes { told.add("observed \(change.new?.age ?? 0)") }
                }
                let live = subscriber.live(User.self, "1", on: queue)
                gone = live
                withObservationTracking {
                    #expect(live.age == 36)
                } onChange: {
                    told.add("live")
                }
                #expect(told.take() == ["observed 36"])
                withExtendedLifetime((token, live)) {}
            }
            queue.sync {}
            #expect(gone == nil)
            try publisher.update(User.self, "1") { $0.age = 37 }
            try await network.settle()
            queue.sync {}
            #expect(told.take().isEmpty)
            #expect(subscriber[lastGood: User.self, "1"]?.age == 37)
        }
    }
}
