import Modelcast
import TestSupport
import Testing

// example: model
struct User: Model {
    static let modelType = "User"
    let id: String
    var nickName: String
    var age: Int64?

    init(id: String, nickName: String, age: Int64? = nil) {
        self.id = id
        self.nickName = nickName
        self.age = age
    }

    init(id: String, record: Record) throws {
        guard let nickName = record["nick_name"]?.textValue else {
            throw MissingField(type: User.modelType, id: id, field: "nick_name")
        }
        self.init(id: id, nickName: nickName, age: record["age"]?.intValue)
    }

    var fields: Fields { ["nick_name": .text(nickName), "age": age.map { .int($0) } ?? .null] }
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
            #expect(throws: MissingField(type: "User", id: "1", field: "nick_name")) {
                try subscriber.model(User.self, "1")
            }
        }
    }
}
