import Foundation
import ModelcastMacros
import Testing

/// What has changed between two states of a model that the macro has made.
@Suite struct `Differences by macro` {
    private let id = UUID()

    private var ada: User {
        User(id: id, nickName: "Ada", age: 3, createdAt: Date(timeIntervalSince1970: 1), title: "Countess")
    }

    /// The same of which no optional property is known.
    private func sparse() throws -> User {
        let json = #"{"id": "\#(id)", "nick_name": "Ada", "createdAt": "1970-01-01T00:00:01Z"}"#
        return try JSONDecoder().decode(User.self, from: Data(json.utf8))
    }

    @Test func `equal models do not differ`() throws {
        #expect(try ada.diff(from: ada) == [:])
        #expect(try sparse().diff(from: sparse()) == [:])
        #expect(try ada.with { $0.isSelected = true }.diff(from: ada) == [:])
        #expect(try Mark(id: "a").diff(from: Mark(id: "a")) == [:])
    }

    @Test func `what differs is as it is now`() throws {
        let other = ada.with { ($0.nickName, $0.age, $0.homepage) = ("Bob", nil, URL(string: "a:b")) }
        #expect(try other.diff(from: ada) == ["nick_name": "Bob", "age": .null, "home": "a:b"])
        #expect(try ada.diff(from: other) == ["nick_name": "Ada", "age": 3, "home": .null])
    }

    @Test func `what only the other knows becomes unknown, and what was unknown may become null`() throws {
        let unknown: Fields = [
            "age": .undefined, "home": .undefined, "title": .undefined, "colour": .undefined,
        ]
        #expect(try sparse().diff(from: ada) == unknown)
        #expect(try ada.diff(from: sparse()) == ["age": 3, "home": .null, "title": "Countess", "colour": "red"])
    }

    @Test func `what does not pass is told only where it differs`() throws {
        let wrong = ada.with { $0.title = "" }
        #expect(throws: FieldProblem.self) { try wrong.diff(from: ada) }
        #expect(try wrong.with { $0.age = 4 }.diff(from: wrong) == ["age": 4])
    }

    @Test func `a difference is that of the fields, whatever is known`() throws {
        let values: [FieldState<Int>] = [.unknown, .null, .value(1), .value(2)]
        let models = try values.flatMap { first in
            try values.map { last in
                var partial = Wide.Partial(id: 1)
                (partial.a0, partial.h4) = (first, last)
                return try partial.model()
            }
        }
        for new in models {
            for old in models {
                let (fields, oldFields) = (try new.fields, try old.fields)
                var expected: Fields = [:]
                for name in ["a0", "h4"] where fields[name] != oldFields[name] {
                    expected[name] = fields[name] ?? .undefined
                }
                #expect(try new.diff(from: old) == expected)
            }
        }
    }

    @Test func `of a group that differs there are the fields that do`() throws {
        let here = Place(latitude: 1, longitude: 2)
        let old = Customer(id: 1, name: "Ada", origin: here, contact: .phone("+1"))
        #expect(
            try old.with { $0.home.latitude = 5 }.diff(from: old)
                == ["home.latitude": .double(5)])
        #expect(
            try old.with { $0.contact = .nobody }.diff(from: old)
                == ["contact": "nobody", "contact.phone": .undefined])
        #expect(try old.with { $0.contact = .phone("+2") }.diff(from: old) == ["contact.phone": "+2"])
        let none = try old.with { $0.contact = nil }.diff(from: old)
        #expect(none.count == Contact.fieldNames.count && none["contact"] == .null)

        var partial = Customer.Partial(id: 1)
        (partial.name, partial.origin) = (.value("Ada"), .value(here))
        let unknown = try partial.model().diff(from: old)
        #expect(unknown["contact"] == .undefined && unknown["address.place.latitude"] == .undefined)
        #expect(unknown["home.latitude"] == .undefined && unknown["way"] == .undefined)
        let groups = [Contact.fieldNames, Contact.fieldNames, Address.fieldNames, Place.fieldNames]
        #expect(unknown.count == groups.joined().count)
    }
}
