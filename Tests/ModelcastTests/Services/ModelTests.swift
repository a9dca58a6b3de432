import Dispatch
import Modelcast
import Synchronization
import TestSupport
import Testing

// example: model
struct User: Model {
    static let modelType = "User"
    enum FieldNames {
        static let nickName: ModelField<String> = "nick_name"
        static let age: ModelField<Int> = "age"
    }
    static let properties = [ModelProperty(\User.age, "age"), ModelProperty(\User.nickName, "nick_name")]
    let id: String
    var nickName: String
    var age: Int?

    init(id: String, nickName: String, age: Int? = nil) {
        self.id = id
        self.nickName = nickName
        self.age = age
    }

    init(id: String, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.init(id: id, nickName: try reader.read("nick_name"), age: try reader.read("age"))
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) {
        try sink.write("nick_name", nickName)
        try sink.write("age", age)
    }
}
// end example

/// An account whose number never changes.
private struct Account: Model {
    static let modelType = "Account"
    static let properties = [
        ModelProperty(\Account.number, "number", isConstant: true), ModelProperty(\Account.balance, "balance"),
    ]
    let id: Int
    var number: UInt64?
    var balance = 0

    init(id: Int = 1, number: UInt64?) { (self.id, self.number) = (id, number) }

    init(id: Int, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.id = id
        number = try reader.read("number")
        balance = try reader.read("balance", default: 0)
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) {
        if let number { try sink.write("number", number) }
        try sink.write("balance", balance)
    }
}

@Suite(.timeLimit(.minutes(15))) struct ModelTests {
    private let ada = User(id: "1", nickName: "Ada", age: 36)

    @Test func `a model travels and comes back`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.merge(ada)
            #expect(await eventually { subscriber["User", "1"] != nil })
            #expect(subscriber[lastGood: User.self, "1"] == ada)
            #expect(try subscriber.model(User.self, "1") == ada)
            #expect(subscriber[lastGood: User.self, "2"] == nil)
            #expect(subscriber.snapshot()[lastGood: User.self, "1"]?.age == 36)
            try publisher.delete(User.self, "1")
            #expect(await eventually { subscriber[lastGood: User.self, "1"] == nil })
        }
    }

    @Test func `a publisher, a relay and a subscriber of it are read in the same ways`() async throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(ada)
        try publisher.merge("User", "2", ["age": 85])
        try await running(publisher) { endpoints in
            let configuration = RelayConfiguration(
                name: "r", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"),
                publishers: [endpoints.control])
            try await during(Relay(configuration, logger: silent)) { relay in
                try await subscribing(to: [relay.boundEndpoints.control]) { subscriber in
                    #expect(await eventually { subscriber["User", "1"] != nil && subscriber["User", "2"] != nil })
                    let sources: [any ModelSource] = [
                        publisher, relay, subscriber, relay.cache, publisher.snapshot(), relay.snapshot(),
                        subscriber.snapshot(),
                    ]
                    for source in sources { try expectAda(in: source) }
                }
            }
        }
    }

    /// Expects Ada as the first user, and of a second one no more than an age, by every way to read.
    private func expectAda(in source: some ModelSource) throws {
        #expect(source[lastGood: User.self, "1"] == ada && source["User", "1"] != nil)
        #expect(source[lastGood: Reference<User>("1")] == ada)
        #expect(source.withModel(lastGood: User.self, "1") { $0.age } == 36)
        #expect(try source.model(User.self, "1") == ada)
        #expect(try source.model(User.self, "3") == nil)
        let problem = ModelProblem(type: "User", id: "2", [FieldProblem("nick_name", nil)])
        #expect(throws: problem) { try source.model(User.self, "2") }
        #expect(source.state(of: User.self, "2") == .incomplete(problem))
        #expect(source.partial(of: User.self, "2")?["age"] == 85)
    }

    @Test func `a record that lacks a field says which, and counts`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.merge("User", "1", ["age": 36])
            #expect(await eventually { subscriber["User", "1"] != nil })
            let problem = ModelProblem(type: "User", id: "1", [FieldProblem("nick_name", nil)])
            #expect(problem.description == "User 1: nick_name: unknown")
            #expect(throws: problem) { try subscriber.model(User.self, "1") }
            #expect(throws: problem) { try subscriber.snapshot().model(User.self, "1") }
            #expect(subscriber.partial(of: User.self, "1")?["age"] == 36)
            #expect(subscriber.problems.count == 1)
        }
    }

    @Test func `a subscriber observes, follows and binds models as Swift types`() async throws {
        final class Card: Sendable {
            private let text = Mutex("")
            var title: String {
                get { text.withLock { $0 } }
                set { text.withLock { $0 = newValue } }
            }
        }
        try await withPair { publisher, subscriber in
            let queue = DispatchQueue(label: "ModelTests")
            let (card, bag) = (Card(), ObservationBag())
            bag.add(subscriber.bind(User.self, "1", to: card, on: queue) { $0.map(\.nickName, to: \.title) })
            let live = subscriber.live(User.self, "1", on: queue)
            let stream = subscriber.models(User.self).where { $0.age == 37 }.stream()
            try publisher.merge(ada)
            #expect(await eventually { card.title == "Ada" && live.age == 36 })
            try publisher.merge(ada.with { $0.age = 37 })
            var changes = stream.makeAsyncIterator()
            let change = try #require(await changes.next()?.first)
            #expect(change.step == .entered && change.new?.age == 37)
        }
    }

    @Test func `a model that cannot travel changes nothing and says why`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(Account(number: 7))
        let error = #expect(throws: ModelcastError.self) { try publisher.merge(Account(id: 2, number: .max)) }
        let problem = try #require(error?.problem?.problems.first)
        #expect(error?.code == .model && problem.field == "number" && problem.fault?.code == .range)
        #expect(publisher[lastGood: Account.self, 2] == nil)
    }

    @Test func `publishing a model leaves other fields alone, assigning and replacing it does not`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge("User", "1", ["other": true])
        try publisher.merge(ada)
        #expect(publisher["User", "1"]?["other"] == true)
        try publisher.assign(ada)
        #expect(publisher["User", "1"]?.values == ["nick_name": "Ada", "age": 36])
        try publisher.merge("User", "1", ["other": true])
        try publisher.replace(ada)
        #expect(publisher["User", "1"]?.values == ["nick_name": "Ada", "age": 36])
    }

    @Test func `only what differs between two states is published`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(ada)
        try publisher.merge("User", "1", ["nick_name": "Ada L."])
        #expect(try ada.with { $0.age = 37 }.diff(from: ada) == ["age": 37])
        try publisher.merge(changesFrom: ada, to: ada.with { $0.age = 37 })
        #expect(publisher["User", "1"]?.values == ["nick_name": "Ada L.", "age": 37])
        #expect(try publisher.merge(changesFrom: ada, to: ada) == .unchanged)
        #expect(throws: ModelcastError.self) {
            try publisher.merge(changesFrom: ada, to: User(id: "2", nickName: "Grace"))
        }
    }

    @Test func `an update reads, changes and publishes the difference`() throws {
        let publisher = try makePublisher(nil)
        let missing = #expect(throws: ModelcastError.self) { try publisher.update(User.self, "1") { $0.age = 1 } }
        #expect(missing?.code == .notFound)
        #expect(
            missing?.message == "User 1 does not exist in this publisher's copy, so there is nothing to change; "
                + "merge(_:) writes a model that does not exist yet")
        try publisher.merge(ada)
        let version = publisher["User", "1"]?.version(of: "nick_name")
        #expect(try publisher.update(User.self, "1") { $0.age = 37 } != .unchanged)
        #expect(try publisher.update(User.self, "1") { $0.age = 37 } == .unchanged)
        #expect(publisher[lastGood: User.self, "1"]?.age == 37)
        #expect(publisher["User", "1"]?.version(of: "nick_name") == version)
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try publisher.update(User.self, "1") { _ in throw Refusal() } }
        try publisher.merge("User", "1", ["nick_name": nil])
        let error = #expect(throws: ModelcastError.self) { try publisher.update(User.self, "1") { $0.age = 38 } }
        #expect(error?.problem?.problems.first?.field == "nick_name")
    }

    @Test func `updates of one model from many threads are all in it`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(Account(number: 7))
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                do {
                    try publisher.update(Account.self, 1) { $0.balance += 1 }
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(publisher[lastGood: Account.self, 1]?.balance == 1600)
    }

    @Test func `a constant field takes one value, and refuses another by name`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(Account(number: 7))
        #expect(try publisher.merge(Account(number: 7)) == .unchanged)
        for write in [
            { try publisher.merge(Account(number: 8)) }, { try publisher.assign(Account(number: 8)) },
            { try publisher.replace(Account(number: 8)) },
            { try publisher.merge(changesFrom: Account(number: 7), to: Account(number: 8)) },
            { try publisher.transaction { try $0.merge(Account(number: 8)) } },
            { try publisher.update(Account.self, 1) { $0.number = 8 } },
        ] as [() throws -> PublishOutcome] {
            let error = #expect(throws: ModelcastError.self) { try write() }
            #expect(error?.code == .constant && error?.problem?.problems.map(\.field) == ["number"])
            #expect(error?.message == "Account 1: number is constant; it is int(7) and cannot become int(8)")
        }
        #expect(publisher[lastGood: Account.self, 1]?.number == 7)
        // A model that is deleted may begin again.
        try publisher.delete(Account.self, 1)
        try publisher.merge(Account(number: 8))
        #expect(publisher[lastGood: Account.self, 1]?.number == 8)
    }

    @Test func `a model that is written whole does not leave a constant out`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(Account(number: 7))
        let bare = Account(number: nil)
        for write in [
            { try publisher.assign(bare) }, { try publisher.replace(bare) },
            { try publisher.transaction { try $0.replace(bare) } },
        ] as [() throws -> PublishOutcome] {
            let error = #expect(throws: ModelcastError.self) { try write() }
            #expect(error?.code == .constant && error?.problem?.problems.first?.fault?.code == .constant)
            #expect(
                error?.message
                    == "Account 1: number is constant; it is int(7) and cannot be left out: merge the model instead")
        }
        let within = #expect(throws: ModelcastError.self) {
            try publisher.transaction {
                try $0.delete(Account.self, 1)
                try $0.merge(Account(number: 8))
                try $0.assign(bare)
            }
        }
        #expect(within?.message.contains("it is int(8) and cannot be left out") == true)
        try publisher.merge(bare)
        #expect(publisher[lastGood: Account.self, 1]?.number == 7)
        try publisher.transaction {
            try $0.delete(Account.self, 1)
            try $0.assign(bare)
        }
        #expect(try #require(publisher[lastGood: Account.self, 1]).number == nil)
    }

    @Test func `constants hold within a transaction, in which a deleted model may begin again`() throws {
        let publisher = try makePublisher(nil)
        let error = #expect(throws: ModelcastError.self) {
            try publisher.transaction {
                try $0.merge(Account(number: 7))
                try $0.merge(Account(number: 8))
            }
        }
        #expect(error?.code == .constant && publisher[lastGood: Account.self, 1] == nil)
        try publisher.merge(Account(number: 7))
        try publisher.transaction {
            try $0.delete(Account.self, 1)
            try $0.merge(Account(number: 8))
        }
        #expect(publisher[lastGood: Account.self, 1]?.number == 8)
    }

    @Test func `a constant that is the same in another form is no other`() throws {
        struct Measure: Model {
            static let modelType = "Measure"
            static let properties = [ModelProperty(\Measure.value, "value", isConstant: true)]
            let id = 1
            var value: Double
            init(_ value: Double) { self.value = value }
            init(id: Int, record: CellRecord) throws(FieldProblem) {
                var reader = FieldReader(record)
                value = try reader.read("value")
            }
            func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("value", value) }
        }
        let publisher = try makePublisher(nil)
        try publisher.merge("Measure", "1", ["value": 5])
        try publisher.merge(Measure(5))
        #expect(throws: ModelcastError.self) { try publisher.merge(Measure(6)) }
        #expect(publisher["Measure", "1"]?["value"] == .double(5))
    }

    @Test func `no changes of a model that is gone do not bring it back`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(ada)
        try publisher.delete(User.self, "1")
        #expect(try publisher.merge(changesFrom: ada, to: ada) == .unchanged)
        try publisher.transaction { try $0.merge(changesFrom: ada, to: ada) }
        #expect(publisher["User", "1"] == nil)
    }

    @Test func `a transaction takes models of several types, all or none`() throws {
        let publisher = try makePublisher(nil)
        try publisher.merge(Account(number: 7))
        #expect(throws: ModelcastError.self) {
            try publisher.transaction {
                try $0.merge(ada)
                try $0.merge(Account(number: 8))
            }
        }
        #expect(publisher[lastGood: User.self, "1"] == nil)
        try publisher.transaction {
            try $0.merge(ada)
            try $0.assign(Account(id: 2, number: 8))
            try $0.delete(Account.self, 1)
        }
        #expect(publisher[lastGood: User.self, "1"] == ada && publisher[lastGood: Account.self, 2]?.number == 8)
        #expect(publisher[lastGood: Account.self, 1] == nil)
    }
}
