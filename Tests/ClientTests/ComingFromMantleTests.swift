import Foundation
import Modelcast
import ModelcastMacros
import ModelcastTesting
import Testing

/// What the article "Coming from other libraries" says of Mantle.
@Suite(.timeLimit(.minutes(2))) struct ComingFromMantleTests {
    /// An amount of money, which travels as whole cents.
    struct Cents: FieldConversion {
        func decode(_ cents: Int64) throws(FieldFault) -> Decimal {
            guard cents >= 0 else { throw fault(cents, wanted: "an amount that is not negative") }
            return Decimal(cents) / 100
        }

        func encode(_ amount: Decimal) throws(FieldFault) -> Int64 {
            guard let cents = Int64((amount * 100).description) else {
                throw FieldFault(.range, wanted: "an amount of whole cents", value: .text("\(amount)"))
            }
            return cents
        }
    }

    @Nested struct Car { var doors: Int }
    @Nested struct Truck { var load: Double }

    @OneOf(.tagged(by: "kind")) enum Vehicle {
        case car(Car)
        case truck(Truck)
    }

    @Model struct User {
        @ID let id: String
        @Field("nick_name") var nickName: String
        @Field("address.city") var city: String?
        @Field(convert: .iso8601) var joined: Date?
        @Field(convert: Cents()) var balance: Decimal?
        @Field(validate: .range(0...150)) var age: Int?
        var rank: Int = 3
        var height: Int
        var vehicle: Vehicle?
        @Local var isSelected: Bool = false
    }

    @Nested struct Place {
        var city: String = "Ely"
    }

    @Nested struct Address {
        var street: String
        var city: String?
    }

    @Model struct Person {
        @ID let id: String
        var address: Address?
    }

    @Model struct Stamped {
        @ID let id: String
        var at: Date = Date()
        var key: UUID = UUID()
        var count: Int = 1
        var place: Place? = Place()
        @Constant @Field(default: "plain") let kind: String
    }

    private func user(_ id: String = "1", age: Int? = nil) -> User {
        User(id: id, nickName: "Ada", age: age, height: 170)
    }

    @Test func `a name for a property reads and writes its key, and one with dots a key within objects`() throws {
        let user: User = try PlainJSON.read(
            #"{"id": "1", "nick_name": "Ada", "height": 170, "address": {"city": "Ely", "street": "S"}}"#)
        #expect(user.nickName == "Ada" && user.city == "Ely")
        #expect(
            try PlainJSON.text(user)
                == #"{"address":{"city":"Ely"},"height":170,"id":"1","nick_name":"Ada"}"#)
        #expect(try user.fields["nick_name"] == "Ada" && user.fields["address.city"] == "Ely")
    }

    @Test func `a conversion has types in both directions, and what it cannot convert is an error with its field`()
        async throws
    {
        let json = #"{"id": "1", "nick_name": "Ada", "height": 170, "balance": 1250, "joined": "1970-01-01T00:00:01Z"}"#
        let user: User = try PlainJSON.read(json)
        #expect(user.balance == Decimal(12.5) && user.joined == Date(timeIntervalSince1970: 1))
        #expect(try user.fields["balance"] == 1250 && user.fields["joined"] == "1970-01-01T00:00:01Z")
        let refusal = PlainJSON.refusal(json.replacing("1250", with: "-1"), as: User.self)
        #expect(refusal?.path == "balance" && refusal?.words.contains("an amount that is not negative") == true)
        try await withPair { publisher, subscriber, network in
            let error = #expect(throws: ModelcastError.self) {
                try publisher.merge(user.with { $0.balance = Decimal(string: "0.001") })
            }
            #expect(error?.code == .model && error?.problem?.problems.map(\.field) == ["balance"])
            try publisher.merge(user)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.balance == Decimal(12.5))
        }
    }

    @Test func `null becomes the default of a property, or a problem that is told while the rest is readable`()
        async throws
    {
        let json = #"{"id": "1", "nick_name": "Ada", "height": 170, "rank": null}"#
        #expect(try PlainJSON.read(json, as: User.self).rank == 3)
        #expect(PlainJSON.refusal(json.replacing("170", with: "null"), as: User.self)?.path == "height")
        try await withPair { publisher, subscriber, network in
            let told = ToldList<ModelProblem>()
            let observation = subscriber.problems.observe(on: told.queue) { told.add($0) }
            try publisher.merge("User", "1", ["nick_name": "Ada", "height": .null, "rank": .null])
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"] == nil)
            let problems = told.take()
            #expect(problems.map(\.id) == ["1"] && problems.first?.problems.map(\.field) == ["height"])
            #expect(problems.first?.problems.first?.fault?.code == .null)
            let partial = subscriber.partial(of: User.self, "1")
            #expect(partial?.nickName == .value("Ada") && partial?.rank == .null && partial?.height == .null)
            observation.cancel()
        }
    }

    @Test func `a merge copies no nil that was never read over a good value`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(user(age: 36))
            let read: User = try PlainJSON.read(#"{"id": "1", "nick_name": "Ada L.", "height": 170}"#)
            #expect(read.age == nil)
            try publisher.merge(read)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.nickName == "Ada L.")
            #expect(subscriber[lastGood: User.self, "1"]?.age == 36)
            // A nil that was read says that there is nothing.
            try publisher.merge(
                PlainJSON.read(#"{"id": "1", "nick_name": "Ada L.", "height": 170, "age": null}"#, as: User.self))
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.age == nil)
            #expect(subscriber[lastGood: User.self, "1"]?.knows(\.age) == true)
        }
    }

    @Test func `a merge copies no default that stands for what was never read`() async throws {
        let json = #"{"id": "1", "nick_name": "Ada L.", "height": 170}"#
        try await withPair { publisher, subscriber, network in
            try publisher.merge(user().with { $0.rank = 9 })
            let read: User = try PlainJSON.read(json)
            #expect(read.rank == 3 && !read.knows(\.rank))
            try publisher.merge(read)
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.nickName == "Ada L.")
            #expect(subscriber[lastGood: User.self, "1"]?.rank == 9)
            // A model that is made by hand knows its defaults.
            try publisher.merge(user())
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.rank == 3)
        }
    }

    @Test func `half an address that is merged leaves the other half alone`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(Person(id: "1", address: Address(street: "Broad St", city: "Ely")))
            let read: Person = try PlainJSON.read(#"{"id": "1", "address": {"street": "High St"}}"#)
            #expect(read.address?.city == nil)
            try publisher.merge(read)
            try await network.settle()
            #expect(subscriber[lastGood: Person.self, "1"]?.address == Address(street: "High St", city: "Ely"))
        }
    }

    @Test func `a default that differs each time, or of a constant, is a value that the model knows`() throws {
        let read: Stamped = try PlainJSON.read(#"{"id": "1"}"#)
        #expect(read.knows(\.at) && read.knows(\.key) && !read.knows(\.place) && !read.knows(\.count))
        #expect(try read.fields["kind"] == "plain" && read.fields["count"] == nil)
        let known = Stamped(id: "1", at: read.at, key: read.key)
        #expect(try known.diff(from: read) == ["count": 1, "place.city": "Ely"])
        #expect("\(read)" != "\(known)")
    }

    @Test func `a local property is in no JSON, does not travel, and does not count when models are compared`()
        async throws
    {
        let selected = user().with { $0.isSelected = true }
        #expect(selected == user() && selected.isSelected)
        #expect(try !PlainJSON.text(selected).contains("isSelected"))
        try await withPair { publisher, subscriber, network in
            try publisher.merge(selected)
            try await network.settle()
            #expect(subscriber["User", "1"]?["isSelected"] == nil)
            #expect(subscriber[lastGood: User.self, "1"] == user())
            #expect(subscriber[lastGood: User.self, "1"]?.isSelected == false)
        }
    }

    @Test func `a key of the document says which case a property is, with the properties of that case`() throws {
        let head = #"{"id": "1", "nick_name": "Ada", "height": 170, "vehicle": "#
        let car: User = try PlainJSON.read(head + #"{"kind": "car", "doors": 4}}"#)
        #expect(car.vehicle == .car(Car(doors: 4)))
        let truck: User = try PlainJSON.read(head + #"{"kind": "truck", "load": 2.5}}"#)
        #expect(truck.vehicle == .truck(Truck(load: 2.5)))
        #expect(try PlainJSON.read(PlainJSON.text(truck)) == truck)
        let refusal = try #require(PlainJSON.refusal(head + #"{"kind": "ship"}}"#, as: User.self))
        #expect(refusal.path == "vehicle" && refusal.words.contains("car or truck"), "\(refusal)")
    }

    @Test func `a value that does not pass its validation is neither read nor published`() async throws {
        let json = #"{"id": "1", "nick_name": "Ada", "height": 170, "age": 151}"#
        #expect(PlainJSON.refusal(json, as: User.self)?.path == "age")
        try await withPair { publisher, subscriber, network in
            let error = #expect(throws: ModelcastError.self) { try publisher.merge(user(age: 151)) }
            #expect(error?.code == .model && error?.problem?.problems.map(\.field) == ["age"])
            try publisher.merge(user(age: 150))
            // Who writes by names is held to nothing, so the reader checks.
            try publisher.merge("User", "2", ["nick_name": "Eve", "height": 1, "age": 151])
            try await network.settle()
            #expect(try subscriber.model(User.self, "1")?.age == 150)
            let problem = #expect(throws: ModelProblem.self) { try subscriber.model(User.self, "2") }
            #expect(problem?.problems.first?.fault?.code == .invalid)
        }
    }
}
