import Foundation
import ModelcastMacros
import Testing

/// What `@Field` is given, in use.
@Suite struct `Arguments of @Field` {
    private let least = #"{"id": 1, "bare": 1, "empty": 2, "ä\"\\": "n", "times": [], "texts": "a,b", "first": 1}"#

    private func read(_ json: String) throws -> Form { try JSONDecoder().decode(Form.self, from: Data(json.utf8)) }

    @Test func `defaults stand for what is unknown`() throws {
        let form = try read(least)
        #expect(form.number == 3)
        #expect(form.kind == .plain)
        #expect(form.list == [1, 2])
        #expect(form.link == URL(string: "a:b"))
        #expect(form.set == ["a"])
        #expect(form.share == 0.5)
        #expect(form.all == 7)
        #expect(form.own == .plain)
        #expect(!form.knows(\.link) && !form.knows(\.list))
        #expect(!form.knows(\.any))
        let made = Form(id: 1, bare: 1, empty: 2, named: "n", times: [], texts: ["a", "b"], first: 1)
        #expect(try made.fields["any"] == .null)
        #expect(made.with { $0.seen = 2 }.changes == 1)
    }

    @Test func `defaults stand for null, but of optional properties`() throws {
        let form = try read(least.dropLast() + #", "number": null, "link": null, "j": null, "share": null}"#)
        let other = try read(least)
        #expect(form.number == other.number && form.link == nil && form.set == other.set)
        #expect(form.share == other.share && form.knows(\.link) && !other.knows(\.link) && form != other)
    }

    @Test func `conversions and validations apply to the field`() throws {
        let form = try read(least.dropLast() + #", "j": "[\"b\"]", "open": "new"}"#)
        #expect(form.texts == ["a", "b"])
        #expect(form.set == ["b"])
        #expect(form.open == .unknown("new"))
        #expect(try form.fields["texts"] == "a,b")
        #expect(try form.fields["ä\"\\"] == "n")
        #expect(throws: FieldProblem.self) { try form.with { $0.texts = ["a", "b", "c"] }.fields }
        #expect(throws: FieldProblem.self) { try form.with { $0.share = 2 }.fields }
        #expect(throws: DecodingError.self) { try read(least.dropLast() + #", "share": 2}"#) }
        #expect(throws: DecodingError.self) { try read(least.dropLast() + #", "all": "10"}"#) }
    }
}
