import Foundation
import ModelcastMacros
import Testing

/// What the plugin makes of the schemas beside this file: compiled by the macros, and in use.
@Suite struct `Generated models` {
    private let id = UUID()
    private let opened = Date(timeIntervalSince1970: 1)

    private func read<M: Decodable>(_ json: String, as type: M.Type = M.self) throws -> M {
        try JSONDecoder().decode(M.self, from: Data(json.utf8))
    }

    private func copy<M: Codable>(_ model: M) throws -> M {
        try JSONDecoder().decode(M.self, from: JSONEncoder().encode(model))
    }

    private func account() -> Account {
        Account(id: id, email: "ada@example.org", createdAt: opened, storageBytes: 5, type: .person)
    }

    private func user() -> User { User(id: id, account: Reference(id), nickName: "Ada") }

    private func message(_ body: Message.Body) -> Message {
        Message(
            id: 1, author: Reference(id), recipients: [Reference(id)], sentAt: opened, body: body)
    }

    @Test func `fields have the names and the forms of the schema, and defaults`() throws {
        let expected: Fields = [
            "email": "ada@example.org", "created_at": "1970-01-01T00:00:01Z", "region": "eu", "plan": "free",
            "level": 0, "seats": 1, "storage_bytes": 5, "balance": 0.0, "is_locked": false,
            "billing_address.street": .null, "billing_address.city": .null, "billing_address.postal_code": .null,
            "billing_address.country": .null, "billing_address.place.latitude": .null,
            "billing_address.place.longitude": .null, "settings.theme": .null, "settings.locale": .null,
            "settings.default": .null, "type": "person", "labels": .map(["made-by": "sign-up"]), "logo": .null,
            "support_page": "https://example.org/help", "users": [], "extra": .null,
        ]
        #expect(try account().fields == expected)
        #expect(Account.modelType == "Account")
        #expect(Message.modelType == "chat.Message")
        #expect(Account.properties.filter(\.isConstant).map(\.field.text) == ["created_at", "region"])
    }

    @Test func `objects in arrays and maps, and nodes within themselves, are values of one field`() throws {
        let outline: Outline = try read(
            """
            {"id": 1, "lines": [{"article": "a", "size": {"width": 2}, "notice": {"kind": "mail", "address": "b"}}],
             "root": {"title": "c", "chapters": [
               {"title": "d", "notes": {"e": {"text": "f", "about": {"title": "g"}}}}
             ]},
             "by_language": {"en": {"title": "h"}, "de": null}}
            """)
        #expect(outline.lines.first?.amount == 1)
        #expect(outline.lines.first?.size?.width == 2)
        #expect(outline.root?.chapters?.first?.notes?["e"]?.about?.title == "g")
        #expect(outline.byLanguage?["en"]??.title == "h")
        let fields = try outline.fields
        #expect(Set(fields.pairs.map(\.field)) == ["lines", "root", "by_language"])
        #expect(try copy(outline) == outline)
        do {
            _ = try read(#"{"id": 1, "lines": [{"article": "a"}, {"article": ""}]}"#, as: Outline.self)
            Issue.record("a line without an article is read")
        } catch let DecodingError.dataCorrupted(context) {
            #expect(context.codingPath.map(\.stringValue) == ["lines", "1", "article"])
        }
    }

    @Test func `what a schema requires is enough for a model`() throws {
        let account: Account = try read(
            """
            {"id": "\(id)", "email": "ada@example.org", "created_at": "1970-01-01T00:00:01Z", "type": "person",
             "storage_bytes": 5}
            """)
        #expect(account.seats == 1)
        #expect(account.level == .none)
        #expect(account.region == .eu)
        #expect(account.plan == .known(.free))
        #expect(account.labels == ["made-by": "sign-up"])
        #expect(account.supportPage == URL(string: "https://example.org/help"))
        #expect(account.settings == nil)
        #expect(!account.knows(\.logo))
        let partial: Account.Partial = try read(#"{"id": "\#(id)"}"#)
        #expect(partial.problems.map(\.field) == ["email", "created_at", "storage_bytes", "type"])
    }

    @Test func `models come back from their JSON`() throws {
        var account = account()
        account.plan = .unknown("for-all")
        account.level = .trusted
        account.settings = Account.Settings(theme: .dark, default: .onlyMe)
        account.billingAddress = PostalAddress(
            street: "1 High St", city: "London", place: PostalAddress.Place(latitude: 51.5, longitude: -0.1))
        account.logo = Data([1, 2, 3])
        account.users = [Reference(id)]
        account.extra = .map(["a": [1, "b", .null]])
        #expect(try copy(account) == account)
        #expect(try account.fields["plan"] == "for-all")
        #expect(try account.fields["logo"] == .bytes([1, 2, 3]))
        #expect(try account.fields["settings.default"] == "only-me")
        #expect(try account.fields["billing_address.place.latitude"] == 51.5)
        #expect(try account.fields["billing_address.country"] == "GB")

        var user = user()
        user.homepage = URL(string: "https://example.org/ada")
        user.born = opened
        user.deviceIds = [id]
        user.contact = .letter(PostalAddress(street: "1 High St", city: "London"))
        #expect(try copy(user) == user)
        #expect(try user.fields["contact"] == "letter")
        #expect(try user.fields["contact.letter.city"] == "London")
        #expect(try user.fields["device_ids"] == [.text(id.uuidString)])
        #expect(try user.fields["born"] == "1970-01-01T00:00:01Z")
        #expect(try user.fields["account"] == .text(id.uuidString))
    }

    private static let bodies: [Message.Body] = [
        .text(Message.Body.Text(text: "Hello", language: "en")),
        .picture(Picture(url: URL(filePath: "/a.png"), width: 3)), .deleted,
    ]

    @Test(arguments: bodies)
    func `each variant travels`(body: Message.Body) throws {
        var message = message(body)
        message.mentioned = Reference(id)
        message.inReplyTo = Reference(Int64(7))
        message.edits = [opened]
        message.reactions = ["heart": 2]
        #expect(try copy(message) == message)
        let kind =
            switch body {
            case .text: "text"
            case .picture: "picture"
            case .deleted: "deleted"
            }
        #expect(try message.fields["body"] == .text(kind))
        #expect(try message.fields["in_reply_to"] == "7")
        #expect(try message.fields["edits"] == ["1970-01-01T00:00:01Z"])
        #expect(try message.fields["version"] == 1)
        #expect(try message.fields["expires_at"] == "2030-01-01T00:00:00Z")
    }

    @Test func `bounds hold when a model is written`() throws {
        func fault(_ change: (inout User) -> Void) -> String? {
            var user = user()
            change(&user)
            do {
                _ = try user.fields
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(fault { $0.nickName = "A" }?.contains("text of 2 to 30 characters") == true)
        #expect(fault { $0.age = 151 }?.contains("from 0 to 150") == true)
        #expect(fault { $0.interests = [] }?.contains("1 to 3 elements") == true)
        #expect(fault { $0.interests = ["x"] }?.contains("text of 2 to 20 characters") == true)
        #expect(fault { $0.interests = ["engines"] } == nil)
        #expect(fault { $0.deviceIds = Array(repeating: id, count: 5) }?.contains("at most 4 elements") == true)
        let far = PostalAddress.Place(latitude: 0, longitude: 180)
        let address = PostalAddress(street: "s", city: "c", place: far)
        #expect(fault { $0.contact = .letter(address) }?.contains("less than 180") == true)
    }

    @Test func `bounds hold when a model is read`() throws {
        let partial: Message.Partial = try read(
            """
            {"id": 1, "author": "\(id)", "recipients": [], "sent_at": "1970-01-01T00:00:01Z", "body": "song",
             "version": 2, "importance": 2, "reactions": {"heart": 0}}
            """)
        #expect(partial.problems.map(\.field) == ["recipients", "body", "reactions", "importance", "version"])
    }

    @Test func `parts of schemas are one model, and patterns, multiples and sets are checked`() throws {
        func order(_ more: String) throws -> Order.Partial {
            try read(#"{"id": "1", "code": "AB-1", "pieces": 6, "created": "1970-01-01T00:00:01Z"\#(more)}"#)
        }
        let good = try order(
            #", "price": 0.3, "tags": ["a", "b"], "größe": "XL", "carrier": "by foot", "currency": "EUR", "#
                + #""delivery": {"name": "N", "door": "2"}, "payer": {"iban": "I"}, "shade": "dark"}"#.dropLast())
        #expect(good.problems.isEmpty, "\(good.problems)")
        let model = try good.complete()
        #expect(model.größe == "XL" && model.carrier == "by foot" && model.shade == .dark)
        #expect(model.delivery?.door == "2" && model.delivery?.name == "N" && model.payer?.iban == "I")
        let faults = try [
            #", "price": 0.305"#, #", "tags": ["a", "a"]"#, #", "currency": "EURO""#, #", "note": """#,
            #", "note": "\#(String(repeating: "n", count: 41))""#, #", "shade": "grey""#,
            #", "delivery": {"door": "2"}"#,
        ].map { try order($0).problems.map(\.field) }
        #expect(faults == [["price"], ["tags"], ["currency"], ["note"], ["note"], ["shade"], ["delivery"]])
    }

    @Test func `words of Swift and names of its own are properties`() throws {
        let pin: Pin = try read(
            """
            {"id": "p", "board": "engines", "image_url": "https://example.org/1.png",
             "position": {"x": 1, "y": 2}, "kind": "pin", "is": true, "description": "A pin"}
            """)
        #expect(pin.is == true)
        #expect(pin.description == "A pin")
        #expect(pin.imageURL.lastPathComponent == "1.png")
        #expect(pin.position == Pin.Position(x: 1, y: 2))
        #expect(pin.board == Reference("engines"))
        #expect(pin.note == "")
        #expect(try copy(pin) == pin)
        #expect(throws: (any Error).self) {
            try read(
                #"{"id": "p", "board": "b", "image_url": "a:b", "position": {"x": 1, "y": 2}, "kind": "nail"}"#,
                as: Pin.self)
        }
    }

    @Test func `an id of another name and a public model`() throws {
        let board: Board = try read(
            #"{"key": "engines", "title": "Engines", "background": 7}"#)
        #expect(board.key == "engines")
        #expect(board.id == "engines")
        #expect(board.background == .colour(7))
        #expect(board.layout == .grid)
        #expect(try copy(board) == board)
    }

    @Test func `what is rare works like all else`() throws {
        var corner = Corner(
            number: 7, class: "c", init: "i", way: .unknown("up"), counts: ["a": 1], moments: [nil, opened],
            countOfWhatThereIsInThisCornerOfTheHouse: 1, other: .where(CornerSpot(id: "s")))
        #expect(corner.id == 7)
        #expect(corner.value == .none)
        #expect(corner.colours == [.red, .none])
        #expect(corner.numbers == [[1, nil], []])
        corner.choice = .s(Corner.Choice.Default(sink: "s"))
        corner.selfTest = Reference(to: corner)
        corner.maybeWay = .some(.none)
        corner.files = [Data([1])]
        #expect(try copy(corner) == corner)
        #expect(try corner.fields["moments"] == [.null, "1970-01-01T00:00:01Z"])
        #expect(try corner.fields["other.where.at"] == "2030-01-01T00:00:00Z")
        #expect(try corner.fields["choice"] == "s")
        #expect(try corner.fields["maybe_way"] == "none")

        let read: Corner = try read(#"{"number": 7, "class": "c", "init": "i"}"#)
        #expect(read.way == .known(.in))
        #expect(read.moments == [Date(timeIntervalSince1970: 1.5)])
        #expect(read.nil)
        #expect(read.isOn)
        #expect(read.other == nil)
    }
}

/// A type of the user's own, which a schema names.
enum Shade: String, FieldValue { case light, dark }
