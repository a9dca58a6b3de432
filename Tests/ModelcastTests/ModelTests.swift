import Modelcast
import TestSupport
import Testing

// example: model
struct User: Model {
    static let modelType = "User"
    let id: String
    var nickName: String
    var age: Int?

    init(id: String, nickName: String, age: Int? = nil) {
        self.id = id
        self.nickName = nickName
        self.age = age
    }

    init(id: String, record: Record) throws {
        var reader = FieldReader(record)
        self.init(id: id, nickName: try reader.read("nick_name"), age: try reader.read("age"))
    }

    var fields: Fields {
        get throws {
            var writer = FieldWriter()
            try writer.write("nick_name", nickName)
            try writer.write("age", age)
            return writer.fields
        }
    }
}
// end example

@Suite(.timeLimit(.minutes(2))) struct ModelTests {
    @Test func `a model that is conformed to by hand travels and comes back`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.publish(User(id: "1", nickName: "Ada", age: 36))
            #expect(await eventually { subscriber["User", "1"] != nil })
            let user = try #require(try subscriber.model(User.self, "1"))
            #expect(user.nickName == "Ada")
            #expect(user.age == 36)
            #expect(try subscriber.model(User.self, "2") == nil)
            #expect(try subscriber.snapshot().model(User.self, "1")?.age == 36)
        }
    }

    @Test func `a record that lacks a field says which`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.merge("User", "1", ["age": 36])
            #expect(await eventually { subscriber["User", "1"] != nil })
            let problem = ModelProblem(type: "User", id: "1", FieldProblem("nick_name", nil))
            #expect(problem.description == "User 1: nick_name: unknown")
            #expect(throws: problem) { try subscriber.model(User.self, "1") }
            #expect(throws: problem) { try subscriber.snapshot().model(User.self, "1") }
        }
    }

    /// An account whose number no record holds, as it takes all 64 bits.
    private struct Account: Model {
        static let modelType = "Account"
        let id = "1"
        var number: UInt64

        init(number: UInt64) { self.number = number }

        init(id: String, record: Record) throws {
            var reader = FieldReader(record)
            number = try reader.read("number")
        }

        var fields: Fields {
            get throws {
                var writer = FieldWriter()
                try writer.write("number", number)
                return writer.fields
            }
        }
    }

    @Test func `a model that cannot travel changes nothing and says why`() throws {
        let publisher = try makePublisher(nil)
        try publisher.publish(Account(number: 7))
        let error = #expect(throws: ModelProblem.self) { try publisher.publish(Account(number: .max)) }
        #expect(error?.problem.field == "number" && error?.problem.fault?.code == .range)
        #expect(publisher.cache["Account", "1"]?["number"] == 7)
    }
}
