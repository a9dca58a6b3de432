import Foundation
import ModelcastMacros
import Testing

/// Models that the macro has made, in use.
@Suite struct `Models by macro` {
    private let id = UUID()
    private let created = Date(timeIntervalSince1970: 1)

    private func read<M: Decodable>(_ json: String, as type: M.Type = M.self) throws -> M {
        try JSONDecoder().decode(M.self, from: Data(json.utf8))
    }

    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// A user of whom no more is known than there must be.
    private func sparse() throws -> User {
        try read(#"{"id": "\#(id)", "nick_name": "Ada", "createdAt": "1970-01-01T00:00:01Z"}"#)
    }

    @Test func `fields have the names of the wire and what is converted`() throws {
        let user = User(id: id, nickName: "Ada", age: 3, createdAt: created, homepage: URL(string: "a:b"))
        let expected: Fields = [
            "nick_name": "Ada", "age": 3, "createdAt": "1970-01-01T00:00:01Z", "home": "a:b", "colour": "red",
            "title": .null,
        ]
        #expect(try user.fields == expected)
        #expect(User.modelType == "User")
        #expect(User.properties.map(\.field.text) == ["nick_name", "age", "createdAt", "home", "colour", "title"])
        #expect(User.properties.map(\.isConstant) == [false, false, true, false, false, false])
    }

    @Test func `what was never said is not written, and told apart from null`() throws {
        let user = try sparse()
        #expect(user.age == nil)
        #expect(!user.knows(\.age))
        #expect(user.knows(\.nickName))
        #expect(try user.fields == ["nick_name": "Ada", "createdAt": "1970-01-01T00:00:01Z"])

        let empty = User(id: id, nickName: "Ada", createdAt: created)
        #expect(empty.knows(\.age))
        #expect(empty != user)
        #expect(empty.hashValue == user.hashValue)
        #expect("\(user)" == "User(id: \(id), nickName: \"Ada\", createdAt: \(created))")
        #expect(user.with { $0.age = 3 }.knows(\.age))
        #expect(try user.with { $0.age = 3 }.diff(from: user) == ["age": 3])
    }

    @Test func `what is local is no part of the model`() throws {
        var user = try sparse()
        user.isSelected = true
        #expect(try user == sparse())
        #expect(!User.properties.contains { $0.keyPath == \User.isSelected })
    }

    @Test func `a model comes back from its JSON as it was, unknown fields included`() throws {
        let user = try sparse()
        #expect(try read(text(user)) == user)
        let full = User(
            id: id, nickName: "Ada", age: 3, createdAt: created, homepage: URL(string: "a:b"), colour: .green,
            title: "Countess")
        #expect(try read(text(full)) == full)
        #expect(
            try text(full) == #"{"age":3,"colour":"green","createdAt":"1970-01-01T00:00:01Z","home":"a:b","#
                + #""id":"\#(id)","nick_name":"Ada","title":"Countess"}"#)
    }

    @Test func `all that is in the way of a model is told`() throws {
        let partial: User.Partial = try read(#"{"id": "\#(id)", "age": "x", "createdAt": null, "title": ""}"#)
        #expect(partial.problems.map(\.field) == ["nick_name", "age", "createdAt", "title"])
        #expect(throws: ModelProblem.self) { try partial.complete() }
        #expect(throws: FieldProblem.self) { try partial.fields }
        let error = #expect(throws: DecodingError.self) { try read("{}", as: User.self) }
        #expect(error != nil)
    }

    @Test func `what does not pass its validation is not written`() {
        let user = User(id: id, nickName: "Ada", createdAt: created, title: "")
        #expect(throws: FieldProblem.self) { try user.fields }
    }

    @Test func `a partial knows its constants before the model is complete`() throws {
        let partial: User.Partial = try read(#"{"id": "\#(id)", "createdAt": "1970-01-01T00:00:01Z"}"#)
        #expect(try partial.constants().createdAt == created)
        #expect(partial.nickName == .unknown)
        #expect(try sparse().constants == partial.constants())
        #expect("\(partial)" == "User.Partial(id: \(id), createdAt: \(created))")
        var other = User.Partial(id: id)
        #expect(throws: FieldProblem.self) { try other.constants() }
        other.createdAt = .value(created)
        #expect(other == partial)
        other.nickName = .value("Ada")
        #expect(try other.model() == sparse())
    }

    @Test func `a projection with an id under another name reads the same fields`() throws {
        let card: UserCard = try read(try text(sparse()))
        #expect(card.number == id)
        #expect(card.id == id)
        #expect(UserCard.modelType == User.modelType)
        #expect(card == UserCard(number: id, name: "Ada"))
        #expect("\(card)" == "UserCard(number: \(id), name: \"Ada\")")
        #expect(try text(card) == #"{"id":"\#(id)","nick_name":"Ada"}"#)
    }

    @Test func `a public model keeps its own initialiser`() throws {
        let person: Person = try read(#"{"id": 1, "name": "ADA", "secret": "s"}"#)
        #expect(person.name == "ada")
        #expect(person.constants.born == nil)
        #expect(!person.knows(\.born))
        #expect(try person.fields == ["name": "ada", "secret": "s"])
        #expect(try read(text(person)) == person)
    }

    @Test func `nested models know the types around them`() throws {
        let item = Shop.Item(id: "a")
        #expect(item.other == .large)
        #expect(try item.fields == ["size": 0, "other": 1])
        #expect(try read(#"{"id": "a", "size": 0, "other": null}"#) == Shop.Item(id: "a", other: nil))
        let unread: Shop.Item = try read(#"{"id": "a", "size": 0}"#)
        #expect(unread.other == .large)
        #expect(try read(text(Shop.Shelf(id: 1, sizes: [.large]))) == Shop.Shelf(id: 1, sizes: [.large]))
        #expect(Shop.Shelf.modelType == "Shop.Shelf")
        #expect(Shop.labelText == #"Label(id: "l", text: "cheap")"#)
    }

    @Test func `properties may be called as what generated code has`() throws {
        let message = Message(
            id: 1, text: "t", unknown: 2, source: "s", sink: "k", hasher: "h", hash: "#", record: "r", reader: 3,
            encoder: "e", left: "l", right: "r", field: 4, fields: ["f"], properties: ["p": 1], description: "d",
            default: 5)
        let copy: Message = try read(text(message))
        #expect(copy == message)
        #expect(copy.hashValue == message.hashValue)
        #expect(copy.unread == nil)
        #expect(copy.knows(\.unread))
        #expect(copy.text == "t")
        #expect(copy.description == "d")
        let partial: Message.Partial = try read(#"{"id": 1, "description": "d"}"#)
        #expect(partial.description == .value("d"))
        #expect(throws: ModelProblem.self) { try partial.complete() }
    }

    @Test func `models may be seen in a package or a file alone`() throws {
        #expect(Notes.text == "Ada")
        let parcel: Parcel = try read(#"{"id": "\#(id)"}"#)
        #expect(!parcel.knows(\.weight))
        #expect(Parcel(id: id).knows(\.weight))
    }

    @Test func `an id alone is a model`() throws {
        #expect(try Mark(id: "a").fields.isEmpty)
        #expect(try read(#"{"id": "a"}"#) == Mark(id: "a"))
    }
}
