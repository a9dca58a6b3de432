import Foundation
import ModelRecord
import ModelTypes
import ModelcastMacros
import Testing

/// The JSON of models with groups of fields.
@Suite struct `JSON of models` {
    private func read<M: Decodable>(_ json: String, as type: M.Type = M.self) throws -> M {
        try JSONDecoder().decode(M.self, from: Data(json.utf8))
    }

    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// A customer with no more than there must be, and these members.
    private func customer(_ json: String = "") throws -> Customer {
        try read(#"{"id": 1, "name": "Ada", "origin": {"latitude": 1, "longitude": 2}\#(json)}"#)
    }

    /// A drawing with this member beside its id.
    private func drawing(_ json: String) throws -> Drawing { try read(#"{"drawing_id": 1, \#(json)}"#) }

    /// The path and the words of the error, and the model's problem that is its cause.
    private func refusal(_ body: () throws -> Void) -> (path: String, words: String, cause: ModelProblem?)? {
        do {
            try body()
            return nil
        } catch let DecodingError.dataCorrupted(context) {
            let path = context.codingPath.map(\.stringValue).joined(separator: "/")
            return (path, context.debugDescription, context.underlyingError as? ModelProblem)
        } catch {
            return ("", "\(error)", nil)
        }
    }

    // MARK: Nested structs

    @Test func `a nested object fills a group, and comes out nested again`() throws {
        let model = try customer(
            #", "address": {"street": "S", "town": "London", "place": {"latitude": 3, "longitude": 4}}"#)
        let place = Place(latitude: 3, longitude: 4)
        #expect(model.address?.street == "S" && model.address?.city == "London" && model.address?.place == place)
        #expect(model.knows(\.address))
        #expect(
            try text(model) == #"{"address":{"place":{"latitude":3,"longitude":4},"street":"S","town":"London"},"#
                + #""id":1,"name":"Ada","origin":{"latitude":1,"longitude":2}}"#)
        let known = model.with { $0.address = Address(street: "S", city: "London", since: nil, place: place) }
        #expect(
            try text(known).hasPrefix(
                #"{"address":{"country":"GB","note":null,"place":{"latitude":3,"longitude":4},"since":null,"#))
        #expect(try model.fields["address.town"] == "London")
        #expect(try read(text(model)) == model)
    }

    @Test func `null is no group, and an object that is left out says nothing`() throws {
        let none = try customer(#", "address": null"#)
        #expect(none.address == nil && none.knows(\.address))
        let unknown = try customer()
        #expect(unknown.address == nil && !unknown.knows(\.address))
        #expect(try text(none).contains(#""address":null"#))
        #expect(try !text(unknown).contains("address"))
        // A record has null in each part where there is no group.
        let parts = try customer(#", "address": {"street": null, "town": null}"#)
        #expect(parts.address == nil && parts.knows(\.address))
    }

    @Test func `an object with keys that nobody knows is read without them`() throws {
        let model = try customer(
            #", "address": {"street": "S", "town": "Ely", "no": [], "place": {"latitude": 1, "longitude": 2, "up": 3}}"#
        )
        #expect(model.address?.city == "Ely" && model.address?.place?.longitude == 2)
    }

    @Test(arguments: [
        (#"{}"#, "address/street", "address.street: unknown"),
        (#"{"stret": "S", "town": "Ely"}"#, "address/street", "address.street: unknown"),
        (#"{"street": 7, "town": "Ely"}"#, "address/street", "7 is not text"),
        (#"{"street": "S", "town": "a town whose name is long"}"#, "address/town", "1 to 10 characters"),
        (#"{"street": "S", "town": null}"#, "address/town", "address.town: null is not String"),
        (#"{"street": "S", "town": "Ely", "place": {"latitude": "x"}}"#, "address/place/latitude", "a number"),
        (#"{"street": "S", "town": "Ely", "place": []}"#, "address/place", "an array of 0 values is not an object"),
        (#""S""#, "address", "\"S\" is not an object"), (#"[{"street": "S"}]"#, "address", "is not an object"),
        (#"7"#, "address", "7 is not an object"),
        (#"{"place.latitude": 1, "street": "S", "town": "Ely"}"#, "address/place/longitude", "longitude: unknown"),
    ])
    func `an object that fits in part is refused with its path and its problem`(
        json: String, path: String, words: String
    ) throws {
        let refusal = try #require(refusal { _ = try customer(#", "address": \#(json)"#) })
        #expect(refusal.path == path)
        #expect(refusal.words.contains(words), "\(refusal.words)")
        #expect(refusal.cause?.problems.map(\.field) == ["address"])
    }

    @Test func `all problems of a document are told, with the path of the first`() throws {
        let refusal = try #require(
            refusal { _ = try read(#"[{"id": 1, "name": 7, "home": {"latitude": 1}}]"#, as: [Customer].self) })
        #expect(refusal.path == "Index 0/name")
        #expect(refusal.cause?.problems.map(\.field) == ["name", "origin", "home"])
        #expect(refusal.words.hasPrefix("Customer 1: name: 7 is not text; origin: unknown; home.longitude: unknown"))
    }

    @Test(arguments: [
        (#"{"name": "Ada"}"#, "id", "Customer: id: unknown"),
        (#"{"id": "x", "name": "Ada"}"#, "id", #""x" is not an id of type Int"#),
        (#"{"id": null}"#, "id", "null is not an id of type Int"), ("[]", "", "is not an object"),
        ("7", "", "7 is not an object"),
    ])
    func `what has no id, and what is no object, is refused like any other problem`(
        json: String, path: String, words: String
    ) throws {
        for refusal in [
            refusal { _ = try read(json, as: Customer.self) },
            refusal { _ = try read(json, as: Customer.Partial.self) },
        ] {
            let refusal = try #require(refusal)
            #expect(refusal.path == path)
            #expect(refusal.words.contains(words), "\(refusal.words)")
            #expect(refusal.cause?.problems.map(\.field) == [path])
        }
    }

    @Test(arguments: [
        (#""place": {"latitude": 1e400, "longitude": 1}"#, "meta/place/latitude"),
        (#""place": {"latitude": -1e999, "longitude": 1}"#, "meta/place/latitude"),
    ])
    func `a number beyond every range is told as it stands`(json: String, path: String) throws {
        let refusal = try #require(refusal { _ = try drawing(#""meta": {\#(json)}"#) })
        #expect(refusal.path == path)
        #expect(refusal.words.contains(json.contains("-") ? "-1e999" : "1e400"), "\(refusal.words)")
        #expect(!refusal.words.contains("null"))
    }

    @Test func `names with dots are keys as well, and a field that is given twice is refused`() throws {
        let model = try customer(
            #", "address.street": "S", "address.town": "Ely", "address.place": {"latitude": 1, "longitude": 2}"#)
        #expect(model.address?.street == "S" && model.address?.place?.latitude == 1)
        let both = #", "address": {"street": "S", "town": "Ely"}, "address.note": "x""#
        let address = try #require(refusal { _ = try customer(both) })
        #expect(address.path == "address" && address.words.contains("address in one way"))
        // An empty object says that there is a group, as in a record.
        #expect(try customer(#", "address": {}, "address.street": "S", "address.town": "Ely""#).address?.street == "S")
        let title = try #require(refusal { _ = try drawing(#""meta": {"title": "a"}, "meta.title": "b""#) })
        #expect(title.words.contains("meta.title once"))
    }

    @Test func `a field with dots in its name stands in objects`() throws {
        let model = try drawing(#""meta": {"title": "T", "place": {"latitude": 1, "longitude": 2}}"#)
        #expect(model.title == "T" && model.place == Place(latitude: 1, longitude: 2))
        #expect(try text(model) == #"{"drawing_id":1,"meta":{"place":{"latitude":1,"longitude":2},"title":"T"}}"#)
        #expect(try drawing(#""meta.title": "T""#).title == "T")
        #expect(try drawing(#""meta": null"#).knows(\.title))
        #expect(refusal { _ = try drawing(#""meta": 7"#) }?.path == "meta/title")
        #expect(try drawing(#""meta": {}"#).title == nil)
    }

    @Test func `a group that is nil in all parts is an object, and told apart from none`() throws {
        let model = Drawing(number: 1, links: Links())
        #expect(try text(model).contains(#""links":{"blog":null,"home":null}"#))
        #expect(try read(text(model)) == model)
        #expect(try drawing(#""links": {"home": null, "blog": null}"#).links == Links())
        #expect(try drawing(#""links": null"#).links == nil)
        // An object that says nothing is there, and is written as such.
        let empty = try drawing(#""links": {}"#)
        #expect(empty.links != nil && empty.links != Links())
        #expect(try text(empty).contains(#""links":{}"#))
    }

    // MARK: The id, and what cannot be encoded

    @Test func `an id has the name in JSON that it is given`() throws {
        #expect(try text(Drawing.Partial(id: 7)) == #"{"drawing_id":7}"#)
        #expect(try read(#"{"drawing_id": 7, "id": 8}"#, as: Drawing.self).id == 7)
        #expect(throws: DecodingError.self) { try read(#"{"id": 7}"#, as: Drawing.self) }
    }

    @Test func `an id whose name has dots stands in objects, as a field does`() throws {
        let waybill = Waybill(id: 7, kind: "letter", weight: 0.5)
        #expect(try text(waybill) == #"{"meta":{"key":{"id":7},"kind":"letter"},"weight":0.5}"#)
        #expect(try read(text(waybill), as: Waybill.self) == waybill)
        #expect(try text(Waybill.Partial(id: 7)) == #"{"meta":{"key":{"id":7}}}"#)
        #expect(try read(#"{"meta.key.id": 7, "meta": {"kind": "letter"}}"#, as: Waybill.self).kind == "letter")
        func refusal(of json: String) -> String? {
            self.refusal { _ = try read(json, as: Waybill.self) }.map { "\($0.path): \($0.words)" }
        }
        let missing = try #require(refusal(of: #"{"meta": {"key": {}}}"#))
        #expect(missing.hasPrefix("meta/key/id: ") && missing.contains("unknown"), "\(missing)")
        let wrong = try #require(refusal(of: #"{"meta": {"key": {"id": "x"}}}"#))
        #expect(wrong.hasPrefix("meta/key/id: ") && wrong.contains("an id of type Int"), "\(wrong)")
        let flat = try #require(refusal(of: #"{"meta": {"key": 7}}"#))
        #expect(flat.contains("an object"), "\(flat)")
    }

    @Test func `bytes that are no base64 are told in these words`() throws {
        let refusal = try #require(refusal { _ = try drawing(#""logo": "?""#) })
        #expect(refusal.path == "logo" && refusal.words.contains("what decodes as Data"))
    }

    @Test func `what cannot be encoded is an error with its path and its problem`() throws {
        var address = Address(street: "a", city: "much too long", since: nil)
        address.place = Place(latitude: 1, longitude: 2)
        let model = Customer(id: 1, name: "Ada", address: address, origin: Place(latitude: 1, longitude: 2))
        do {
            _ = try text([model])
            Issue.record("a city that is too long was encoded")
        } catch let EncodingError.invalidValue(_, context) {
            #expect(context.codingPath.map(\.stringValue) == ["Index 0", "address", "town"])
            #expect((context.underlyingError as? FieldProblem)?.field == "address.town")
        }
    }

    // MARK: Sum types

    @Test(arguments: [
        (#""nobody""#, Contact.nobody), (#"{"phone": "+1"}"#, .phone("+1")),
        (#"{"card": {"month": 2, "number": "7"}}"#, .card(number: "7", month: 2)),
    ])
    func `a case is the key of an object, or a text where it has no payload`(json: String, contact: Contact) throws {
        let model = try customer(#", "contact": \#(json)"#)
        #expect(model.contact == contact)
        let text = try text(model)
        #expect(text.contains(#""contact":\#(json.replacing(" ", with: ""))"#), "\(text)")
    }

    @Test func `a case with a struct has its object under the key`() throws {
        let model = try customer(#", "contact": {"mail": {"street": "S", "town": "Ely"}, "phone": null}"#)
        #expect(model.contact == .post(Address(street: "S", city: "Ely", since: nil)))
        #expect(try read(text(model)) == model)
        #expect(try customer(#", "contact": {"card": {"number": "7"}}"#).contact == .card(number: "7", month: 1))
        #expect(try customer(#", "contact": {"nobody": {}}"#).contact == .nobody)
        #expect(try customer(#", "contact": null"#).knows(\.contact))
    }

    @Test(arguments: [
        (#""fax""#, "contact", "phone, mail, card or nobody"),
        (#"{"fax": 1}"#, "contact", "phone, mail, card or nobody"),
        (#""phone""#, "contact/phone", "phone: unknown"), (#"{}"#, "contact", "an object with one key"),
        (#"{"phone": "+1", "card": {}}"#, "contact", "an object with one key"),
        (#"7"#, "contact", "an object with one key"),
        (#"{"phone": 7}"#, "contact/phone", "text"),
        (#"{"mail": {"street": "S"}}"#, "contact/mail/town", "town: unknown"),
        (#"{"mail": 7}"#, "contact/mail", "an object"), (#"{"card": {}}"#, "contact/card/number", "unknown"),
    ])
    func `a case that does not fit is refused with its path`(json: String, path: String, words: String) throws {
        let refusal = try #require(refusal { _ = try customer(#", "contact": \#(json)"#) })
        #expect(refusal.path == path)
        #expect(refusal.words.contains(words), "\(refusal.words)")
    }

    @Test func `names with dots are keys of a sum type, too`() throws {
        let model = try customer(#", "contact": "phone", "contact.phone": "+1", "contact.mail.street": null"#)
        #expect(model.contact == .phone("+1"))
        #expect(try customer(#", "contact": null, "contact.phone": null"#).knows(\.contact))
    }

    private static let shapes: [(String, Shape)] = [
        (#"{"kind":"circle","note":null,"radius":2}"#, .circle(Shape.Circle(radius: 2))),
        (#"{"height":3,"kind":"box","width":2}"#, .box(width: 2, height: 3)), (#"{"kind":"point"}"#, .point),
        (#""hidden""#, .hidden), (#""a name""#, .named("a name")),
    ]

    @Test(arguments: shapes)
    func `a tag names the case beside the fields of its payload`(json: String, shape: Shape) throws {
        let model = Drawing(number: 1, shape: shape)
        #expect(try text(model).contains(#""shape":\#(json)"#))
        #expect(try drawing(#""shape": \#(json)"#).shape == shape)
        #expect(try read(text(model)) == model)
    }

    @Test(arguments: [
        (#"{"kind": "star"}"#, "shape", "circle, box, point, hidden or named"),
        (#"{"kind": 7}"#, "shape", "kind: the name of a case"), (#"{"radius": 2}"#, "shape", "fits none"),
        (#"{"kind": "circle", "radius": "x"}"#, "shape/circle/radius", "a number"),
        (#"{"kind": "box"}"#, "shape/box/width", "unknown"), (#"[]"#, "shape", "fits none"),
    ])
    func `a tag that names no case, and fields that do not fit it, are refused`(
        json: String, path: String, words: String
    ) throws {
        let refusal = try #require(refusal { _ = try drawing(#""shape": \#(json)"#) })
        #expect(refusal.path == path)
        #expect(refusal.words.contains(words), "\(refusal.words)")
    }

    private static let answers: [(String, Answer)] = [
        (#""nothing""#, .nothing), ("7", .number(7)), (#"["a"]"#, .words(["a"])), (#""7""#, .text("7")),
        (#"{"latitude":1,"longitude":2}"#, .place(Place(latitude: 1, longitude: 2))),
        (#"{"kind":"point"}"#, .shape(.point)), (#"{"from":1,"to":2}"#, .span(from: 1, to: 2)),
    ]

    @Test(arguments: answers)
    func `a bare payload is the first case that it fits`(json: String, answer: Answer) throws {
        let model = Drawing(number: 1, answer: answer)
        #expect(try drawing(#""answer": \#(json)"#).answer == answer)
        #expect(try text(model).contains(#""answer":\#(json)"#))
        #expect(try read(text(model)) == model)
    }

    @Test func `what fits no bare payload says why each does not fit`() throws {
        let refusal = try #require(refusal { _ = try drawing(#""answer": 1.5"#) })
        #expect(refusal.path == "answer")
        #expect(
            refusal.words.contains("it fits none, number: an integer; words: an array; text: text; "),
            "\(refusal.words)")
    }

    @Test(arguments: [Answer.text("nothing"), .shape(.hidden), .shape(.named("x"))])
    func `a value that would be read back as another case is refused`(answer: Answer) {
        let error = #expect(throws: EncodingError.self) { try text(Drawing(number: 1, answer: answer)) }
        #expect("\(error as Any)".contains("this would be read back as"))
    }

    @Test func `a tagged text that would be read back as another case is refused`() {
        let error = #expect(throws: EncodingError.self) { try text(Drawing(number: 1, shape: .named("hidden"))) }
        #expect("\(error as Any)".contains("this would be read back as hidden"))
    }

    // MARK: Records

    /// The drawing that a record with these fields makes.
    private func drawing(_ fields: Fields) throws -> Drawing {
        try Drawing(makeRecord(of: Drawing.self, 1, fields))
    }

    @Test func `a map in the place of a group is told, and not taken for none`() throws {
        let map: Fields = ["meta.place": .map(["latitude": 1.0, "longitude": 2.0])]
        let error = #expect(throws: ModelProblem.self) { try drawing(map) }
        #expect(error?.problems.map(\.field) == ["meta.place"])
        #expect(error?.description.contains("meta.place.latitude, meta.place.longitude") == true)
        // What is written in parts counts.
        let both: Fields = ["links": .map(["home": "x"]), "links.home": "y"]
        #expect(try drawing(both).links?.home == "y")
        #expect(try drawing(["links": .map([:])]).links != nil)
        let null = try drawing(["links": .null])
        #expect(null.links == nil && null.knows(\.links))
    }

    @Test(arguments: [Value.map(["home": "x"]), "x", 7, .array([])])
    func `a value in the place of a group within a group is told`(value: Value) throws {
        for others in [[:], ["outer.note": nil], ["outer.inner.home": nil], ["outer.note": "n"]] as [Fields] {
            var fields: Fields = ["wish.text": "w", "outer.inner": value]
            for pair in others.pairs { fields[pair.field] = pair.value }
            let record = try makeRecord(of: Wisher.self, "1", fields)
            let error = #expect(throws: ModelProblem.self) { try Wisher(record) }
            #expect(error?.problems.map(\.field) == ["outer"])
            #expect(error?.description.contains("inner.home") == true, "\(error as Any)")
        }
    }

    @Test func `values that another case has left in the places of groups do not matter`() throws {
        let fields: Fields = ["wish.text": "w", "choice": "nothing", "choice.wish": "x", "choice.both.first": "x"]
        #expect(try Wisher(makeRecord(of: Wisher.self, "1", fields)).choice == .nothing)
        let within: Fields = ["wish.text": "w", "basket.choice": nil, "basket.choice.wish": .map(["text": "x"])]
        #expect(try Wisher(makeRecord(of: Wisher.self, "1", within)).basket == nil)
    }

    @Test func `names with dots may lead to an object that is nil in all parts`() throws {
        let both = #", "address.note": null, "address.place": {"latitude": null, "longitude": null}"#
        #expect(try customer(both).address == nil && customer(both).knows(\.address))
        let wisher = #"{"id": "1", "wish": {}, "outer.note": null, "outer.inner": {"home": null, "blog": null}}"#
        #expect(try read(wisher, as: Wisher.self).outer?.note == nil)
    }

    // MARK: Groups without values

    @Test func `a payload that is nil in all parts travels`() throws {
        let one = try read(#"{"id": "1", "wish": {"text": "w"}, "choice": {"wish": {}}}"#, as: Wisher.self)
        #expect(one.choice == .wish(Wish()))
        let both = #"{"id": "1", "wish": {"text": "w"}, "choice": {"both": {"first": {}, "second": {}}}}"#
        let two = try read(both, as: Wisher.self)
        #expect(two.choice == .both(first: Wish(), second: Wish()))
        let nested = #"{"id": "1", "wish": {"text": "w"}, "basket": {"choice": {"wish": {}}}}"#
        let within = try read(nested, as: Wisher.self)
        #expect(within.basket?.choice == .wish(Wish()))
        let tag = #"{"id": "1", "wish": {"text": null, "size": null}, "tagged": {"kind": "wish"}}"#
        let tagged = try read(tag, as: Wisher.self)
        #expect(tagged.tagged == .wish(Wish()) && tagged.wish == Wish())
        for model in [one, two, within, tagged] {
            #expect(try Wisher(makeRecord(of: model)) == model)
            #expect(try read(text(model)) == model)
        }
        #expect(try one.fields["choice.wish.text"] == .null && one.fields["choice.wish"] == nil)
    }

    @Test func `a payload with a default is what was written, and the default where nothing was`() throws {
        let fields: Fields = ["wish.text": "w", "choice": "standard"]
        #expect(try Wisher(makeRecord(of: Wisher.self, "1", fields)).choice == .standard(Wish(text: "any")))
        let model = Wisher(id: "1", wish: Wish(), choice: .standard(Wish()))
        #expect(try Wisher(makeRecord(of: model)) == model)
    }

    @Test(arguments: [
        #"{"id": "1", "wish": {}}"#, #"{"id": "1", "wish": {"text": null}, "prefs": {}}"#,
        #"{"id": "1", "wish": {}, "prefs": {"size": null}}"#, #"{"id": "1", "wish": {}, "outer": {}}"#,
        #"{"id": "1", "wish": {}, "outer": {"inner": {}}}"#, #"{"id": "1", "wish": {}, "outer": {"note": null}}"#,
        #"{"id": "1", "wish": {}, "basket": {}}"#, #"{"id": "1", "wish": {}, "choice": {"marked": {"wish": {}}}}"#,
        #"{"id": "1", "wish": {}, "prefs": null, "outer": null}"#,
    ])
    func `an object in which a part is not named comes back as it is`(json: String) throws {
        let model = try read(json, as: Wisher.self)
        let copy = try Wisher(makeRecord(of: model))
        #expect(copy == model)
        #expect(try text(copy) == text(model))
    }

    @Test func `an object without parts says nothing of them, and ends where the group is nil`() throws {
        let empty = try read(#"{"id": "1", "wish": {}, "prefs": {}}"#, as: Wisher.self)
        #expect(empty.prefs?.theme == "light")
        #expect(try empty.fields == ["wish": .map([:]), "prefs": .map([:])])
        var fields = try empty.fields
        for pair in try Wisher(id: "1", wish: Wish()).fields.pairs { fields[pair.field] = pair.value }
        #expect(try Wisher(makeRecord(of: Wisher.self, "1", fields)) == Wisher(id: "1", wish: Wish()))
        // A part within a payload is nil where it is unknown.
        let marked = Wisher(id: "1", wish: Wish(), choice: .marked(Marked(wish: Wish())))
        #expect(try marked.fields["choice.marked.wish"] == .map([:]))
        #expect(try marked.fields["choice.marked.wish.text"] == .undefined)
        let unmarked = Wisher(id: "1", wish: Wish(), choice: .marked(Marked(wish: nil)))
        #expect(try marked.diff(from: unmarked)["choice.marked.wish.text"] == .undefined)
        #expect(try unmarked.diff(from: marked)["choice.marked.wish.text"] == .null)
        // As a record holds it, and `modelcast` prints it.
        let printed = #"{"id": "1", "wish": {}, "prefs": {}, "prefs.size": null}"#
        #expect(try read(printed, as: Wisher.self).prefs?.theme == "light")
        let none = #"{"id": "1", "wish": {}, "prefs": {}, "prefs.size": null, "prefs.theme": null}"#
        #expect(try read(none, as: Wisher.self).prefs == nil)
        let unknown = try read(#"{"id": "1", "wish": {}}"#, as: Wisher.self)
        #expect(try unknown.diff(from: empty)["prefs"] == .undefined)
        #expect(try empty.diff(from: unknown) == ["prefs": .map([:])])
    }
}
