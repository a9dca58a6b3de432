import Foundation
import ModelRecord
import ModelTypes
import Testing

/// A model as `@Model` writes it (ExpandedUser.swift), and its partial.
@Suite struct ModelTests {
    private static let id = UUID()
    private let id = ModelTests.id
    private let ada = User(id: ModelTests.id, nickName: "Ada", age: 36, createdAt: Date(timeIntervalSince1970: 1))
    private let all: Fields = [
        "nick_name": "Ada", "age": 36, "createdAt": "1970-01-01T00:00:01Z", "home": nil, "colour": "red", "title": nil,
    ]

    private func user(_ fields: Fields) throws -> User { try User(makeRecord(fields, id: id.uuidString)) }

    /// All that the record needs, and some more.
    private func sparse(_ more: Fields = [:]) throws -> User {
        var fields: Fields = ["nick_name": "Ada", "createdAt": "1970-01-01T00:00:01Z"]
        for pair in more.pairs { fields[pair.field] = pair.value }
        return try user(fields)
    }

    @Test func `a model is read from its record, and writes the same fields`() throws {
        #expect(try user(all) == ada)
        #expect(try ada.fields == all)
        let full = ada.with {
            $0.homepage = URL(string: "https://example.org")
            $0.title = "Countess"
            $0.colour = .green
        }
        #expect(try user(full.fields) == full)
    }

    @Test func `nil that is unknown and nil that is null are told apart`() throws {
        let unknown = try sparse()
        let null = try sparse(["age": nil])
        #expect(unknown.age == nil && null.age == nil)
        #expect(!unknown.knows(\.age) && null.knows(\.age) && !null.knows(\.title))
        #expect(unknown != null && unknown.knows(\.nickName))
        #expect(try unknown.fields["age"] == nil && null.fields["age"] == .null)
        #expect(unknown.hashValue == null.hashValue)
    }

    @Test func `a property that is given a value is known from then on`() throws {
        let user = try sparse().with { $0.age = 36 }
        #expect(user.knows(\.age))
        #expect(try user == sparse(["age": 36]))
        #expect(try user.fields["age"] == 36)
    }

    @Test func `what is unknown or null takes the default where there is one`() throws {
        #expect(try sparse().colour == .red)
        #expect(try sparse(["colour": nil]).colour == .red)
        #expect(try sparse(["colour": "green"]).colour == .green)
    }

    @Test func `the difference of two models is the fields that differ, and what is not known any more`() throws {
        let older = ada.with { $0.age = 37 }
        #expect(try older.diff(from: ada) == ["age": 37])
        #expect(try ada.diff(from: ada) == [:])
        #expect(
            try sparse(["colour": "red"]).diff(from: ada) == [
                "age": .undefined, "home": .undefined, "title": .undefined,
            ])
        #expect(try ada.diff(from: sparse()) == ["age": 36, "home": nil, "title": nil, "colour": "red"])
    }

    @Test func `local properties neither travel nor count`() throws {
        let selected = ada.with { $0.isSelected = true }
        #expect(selected == ada && selected.hashValue == ada.hashValue)
        #expect(try selected.fields == ada.fields)
        #expect(try user(all).isSelected == false)
    }

    @Test func `a description has what is known`() throws {
        #expect(
            try sparse(["age": nil]).description
                == "User(id: \(id), nickName: \"Ada\", age: nil, createdAt: \(ada.createdAt))")
    }

    @Test func `a description has optionals without their wrapping`() {
        var text = ModelText("T")
        text.add("a", Int?.some(1))
        text.add("b", String?.some("x"))
        text.add("c", Int?.none)
        text.add("d", [1])
        #expect(text.description == "T(a: 1, b: \"x\", c: nil, d: [1])")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a date that is no number is described, wherever it stands`(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        var text = ModelText("T")
        text.add("a", date)
        text.add("b", Date?.some(date))
        text.add("c", [date])
        text.add("d", ["x": date])
        text.add("e", [String: Date]())
        let word = "Date(\(seconds))"
        #expect(text.description == "T(a: \(word), b: \(word), c: [\(word)], d: [\"x\": \(word)], e: [:])")
    }

    @Test func `everything in the way of a model is told at once`() throws {
        let record = try makeRecord(["age": "x", "title": "", "nick_name": nil], id: id.uuidString)
        let error = #expect(throws: ModelProblem.self) { try User(record) }
        #expect(
            error?.problems.map(\.description) == [
                "nick_name: null is not String", "age: \"x\" is not an integer", "createdAt: unknown",
                "title: \"\" is not text of 1 to 80 characters",
            ])
        #expect(error?.type == "User" && error?.id == id.uuidString)
    }

    @Test func `a value that a validation does not take is not published`() throws {
        let error = #expect(throws: FieldProblem.self) { try ada.with { $0.title = "" }.fields }
        #expect(error?.field == "title" && error?.fault?.code == .invalid)
    }

    @Test func `an id that is none of the type is told`() throws {
        let error = #expect(throws: ModelProblem.self) { try User(makeRecord(all, id: "7")) }
        #expect(error?.problems.map(\.field) == ["id"])
        // A spelling that would not come out again.
        #expect(throws: ModelProblem.self) { try User(makeRecord(all, id: id.uuidString.lowercased())) }
    }

    // MARK: Partials

    @Test func `a partial knows what there is, and is completed once all is there`() throws {
        var partial = User.Partial(id: id, record: try makeRecord(["nick_name": "Ada", "age": nil], id: id.uuidString))
        #expect(partial.nickName == .value("Ada") && partial.age == .null && partial.createdAt == .unknown)
        #expect(partial.problems == [FieldProblem("createdAt", nil)])
        #expect(throws: ModelProblem(type: "User", id: id.uuidString, partial.problems)) { try partial.complete() }
        partial.createdAt = .value(ada.createdAt)
        #expect(try partial.complete() == sparse(["age": nil]))
        #expect(partial.problems.isEmpty)
    }

    @Test func `a partial that is filled step by step publishes what it has`() throws {
        var partial = User.Partial(id: id)
        #expect(try partial.fields == [:])
        partial.nickName = .value("Ada")
        partial.homepage = .null
        #expect(try partial.fields == ["nick_name": "Ada", "home": nil])
        #expect(partial.description == "User.Partial(id: \(id), nickName: \"Ada\", homepage: nil)")
        partial.title = .value("")
        #expect(throws: FieldProblem.self) { try partial.fields }
    }

    @Test func `a faulty field leaves the others readable`() throws {
        let partial = User.Partial(
            id: id, record: try makeRecord(["nick_name": "Ada", "age": true], id: id.uuidString))
        #expect(partial.nickName.value == "Ada")
        #expect(partial.age.fault?.value == true && partial.age.value == nil && partial.age.isKnown)
    }

    @Test func `constants are a view of their own`() throws {
        #expect(ada.constants == User.Constants(id: id, createdAt: ada.createdAt))
        #expect(try User.Partial(id: id).with(created: ada.createdAt).constants() == ada.constants)
        #expect(throws: FieldProblem("createdAt", nil)) { try User.Partial(id: id).constants() }
        #expect(User.properties.filter(\.isConstant).map(\.field) == ["createdAt"])
    }

    // MARK: JSON

    @Test func `JSON has the names and forms of the wire`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let user = try sparse(["age": 36, "home": "https://example.org"])
        let json = String(decoding: try encoder.encode(user), as: UTF8.self)
        #expect(
            json == """
                {"age":36,"createdAt":"1970-01-01T00:00:01Z","home":"https://example.org",\
                "id":"\(id)","nick_name":"Ada"}
                """)
        let back = try JSONDecoder().decode(User.self, from: Data(json.utf8))
        #expect(back == user && !back.knows(\.title))
        #expect(try JSONDecoder().decode(User.Partial.self, from: Data(json.utf8)).complete() == user)
    }

    @Test func `JSON that makes no model says why`() throws {
        let json = Data(#"{"id": "\#(id)", "nick_name": 7, "createdAt": "1970-01-01T00:00:01Z"}"#.utf8)
        do {
            _ = try JSONDecoder().decode(User.self, from: json)
            Issue.record("a name that is a number was read")
        } catch let DecodingError.dataCorrupted(context) {
            #expect(context.codingPath.map(\.stringValue) == ["nick_name"])
            #expect(context.debugDescription == "User \(id): nick_name: 7 is not text")
            #expect((context.underlyingError as? ModelProblem)?.problems.map(\.field) == ["nick_name"])
        }
        let partial = try JSONDecoder().decode(User.Partial.self, from: json)
        #expect(partial.nickName.fault?.value == 7)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(User.self, from: Data(#"{"age": 1}"#.utf8)) }
    }

    // MARK: Pieces

    @Test func `a set of properties holds any number of them`() {
        var set = FieldSet()
        for place in [0, 63, 64, 200] { set.insert(place) }
        #expect((0..<300).filter(set.contains) == [0, 63, 64, 200])
        for place in [200, 64, 5, 999] { set.remove(place) }
        var other = FieldSet()
        other.insert(63)
        other.insert(0)
        #expect(set == other && !set.isEmpty)
        set.remove(0)
        set.remove(63)
        #expect(set.isEmpty && set == FieldSet())
    }

    @Test func `ids of all kinds have one text each`() {
        struct Sku: ModelID, RawRepresentable { let rawValue: Int }
        #expect(Int(idText: "-5") == -5 && (-5).idText == "-5" && UInt32(idText: "-5") == nil)
        #expect(Sku(idText: "7")?.rawValue == 7 && Sku(rawValue: 7).idText == "7" && Sku(idText: "x") == nil)
        for id in (0..<100).map({ _ in UUID() }) {
            #expect(id.idText == id.uuidString && UUID(idText: id.idText) == id)
        }
        #expect(String(idText: "x") == "x")
    }

    @Test func `a reference travels as the text of an id`() throws {
        let reference = Reference(to: ada)
        #expect(try reference.encoded() == .text(id.uuidString))
        #expect(try Reference<User>(.text(id.uuidString)) == reference)
        #expect(throws: FieldFault.self) { try Reference<User>(.text("7")) }
        #expect(throws: FieldFault.self) { try Reference<User>(7) }
        #expect(reference.description == "User \(id)")
        let json = try JSONEncoder().encode([reference])
        #expect(try JSONDecoder().decode([Reference<User>].self, from: json) == [reference])
    }

    @Test func `validations say what they want`() {
        #expect(RangeValidation(0...9).accepts(9) && !RangeValidation(0...9).accepts(10))
        #expect(LengthValidation(1...2).accepts("äö") && !LengthValidation(1...2).accepts(""))
        let even = CheckValidation<Int>("an even number") { $0.isMultiple(of: 2) }
        #expect(FieldState.value(3).validated(by: even).fault?.description == "3 is not an even number")
        #expect(FieldState.value(4).validated(by: even) == .value(4))
        #expect(FieldState<Int>.null.validated(by: even) == .null)
        #expect(FieldState<Int64>.value(10).validated(by: .range(0...9)).fault?.code == .invalid)
        let float: Float? = 10
        #expect(throws: FieldProblem.self) { try FieldWriter().validate("x", float, by: .range(0...9)) }
    }

    @Test func `values are coded as JSON, bytes and foreign tags included`() throws {
        let value: Value = [
            nil, true, 1, 1.5, "x", .bytes([1, 2]), .tagged(1000, encoded: [1]), ["a": [.int(1)], "b": .null],
        ]
        let json = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(Value.self, from: json) == value)
        let plain: Value = [.uri("a:b"), .timestamp(1.5), .uuid(id)]
        let text = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(plain))
        #expect(text == ["a:b", 1.5, .text(id.uuidString)])
    }

    @Test func `an object that has more than the keys of bytes or a tag stays a map`() throws {
        for map in [
            .map(["$bytes": .text("AAAA"), "x": 1]), .map(["$tag": 1, "$cbor": .text("AA=="), "x": 1]),
            .map(["$tag": 1, "x": 1]),
        ] as [Value] {
            #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(map)) == map)
        }
    }

    @Test func `an open enum is coded as its raw value`() throws {
        let json = try JSONEncoder().encode([Open.known(Colour.red), .unknown("blue")])
        #expect(String(decoding: json, as: UTF8.self) == #"["red","blue"]"#)
        #expect(try JSONDecoder().decode([Open<Colour>].self, from: json) == [.known(.red), .unknown("blue")])
    }
}

extension User.Partial {
    fileprivate func with(created date: Date) -> User.Partial {
        var copy = self
        copy.createdAt = .value(date)
        return copy
    }
}
