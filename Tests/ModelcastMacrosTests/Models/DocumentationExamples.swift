import Foundation
import ModelRecord
import ModelTypes
import ModelcastMacros
import Testing

// What the articles quote, and that it does what they say.

// example: conversion
/// An amount of money, which travels as whole cents.
struct Cents: FieldConversion {
    func decode(_ cents: Int64) throws(FieldFault) -> Decimal { Decimal(cents) / 100 }

    func encode(_ amount: Decimal) throws(FieldFault) -> Int64 {
        guard let cents = Int64((amount * 100).description) else {
            throw FieldFault(.range, wanted: "an amount of whole cents", value: .text("\(amount)"))
        }
        return cents
    }
}
// end example

// example: open-enum
enum Shade: String, FieldValue { case red, green }

@Model struct Flower {
    @ID let id: Int
    var shade: Open<Shade>
}

func name(of flower: Flower) -> String {
    switch flower.shade {
    case .known(.red): "red"
    case .known(.green): "green"
    case .unknown(let raw): "something new, \(raw)"
    }
}
// end example

// example: field-value
@FieldValue struct Topping {
    var name: String
    @Field("g", validate: .range(0...500)) var grams: Int?
}

@FieldValue struct Section {
    var title: String
    var sections: [Section] = []
}

@Model struct Recipe {
    @ID let id: String
    var toppings: [Topping] = []
    var byLanguage: [String: Section]?
    var favourite: Topping?
}
// end example

// example: expiring-model
@Model struct Login {
    static let modelExpiry = Expiry.after(.seconds(1800))
    @ID let id: String
    var user: String
    /// When it ends, for who wants to see that.
    @Field("$expires", convert: .unixMilliseconds) var expires: Date?
}
// end example

// example: list-of-models
@Model struct Pizza {
    @ID let id: String
    var name: String
}

@Model struct PizzaTopping {
    @ID let id: UUID
    @Constant let pizza: Reference<Pizza>
    var name: String
    /// Between those of its neighbours, so that a topping moves without a change of the others.
    var place: Double
}
// end example

@Model private struct Article {
    @ID let id: Int
    @Field(convert: Cents()) var price: Decimal
}

// example: own-id
struct Sku: ModelID, RawRepresentable {
    let rawValue: String

    init?(rawValue: String) {
        guard rawValue.count == 8 else { return nil }
        self.rawValue = rawValue
    }
}

struct OwnerID: ModelID, RawRepresentable { let rawValue: UUID }
// end example

@Model struct StockItem {
    @ID let id: Sku
    var title: String
}

@Model struct StockOwner { @ID let id: OwnerID }

@Suite struct `Examples of the documentation` {
    @Test func `an amount travels as whole cents`() throws {
        let article = Article(id: 1, price: Decimal(string: "12.34") ?? 0)
        #expect(try article.fields == ["price": 1234])
        let json = Data(#"{"id": 1, "price": 1234}"#.utf8)
        #expect(try JSONDecoder().decode(Article.self, from: json) == article)
        #expect(throws: FieldProblem.self) { try Article(id: 1, price: Decimal(string: "0.001") ?? 0).fields }
    }

    @Test func `toppings and sections of a recipe are a field each`() throws {
        let json = Data(
            #"{"id": "1", "toppings": [{"name": "salt", "g": 2}], "byLanguage": {"en": {"title": "a"}}}"#.utf8)
        let recipe = try JSONDecoder().decode(Recipe.self, from: json)
        #expect(try recipe.fields["toppings"] == [["name": "salt", "g": 2]])
        #expect(try recipe.fields["byLanguage"] == ["en": ["title": "a", "sections": []]])
        let topping = PizzaTopping(id: UUID(), pizza: Reference("p"), name: "salt", place: 0.5)
        #expect(try topping.fields == ["pizza": "p", "name": "salt", "place": 0.5])
    }

    @Test func `an id of one's own type is written as it says, and refused where it is none`() throws {
        let item = try JSONDecoder().decode(StockItem.self, from: Data(#"{"id": "AB-12345", "title": "nut"}"#.utf8))
        #expect(item.id.idText == "AB-12345")
        #expect(String(decoding: try JSONEncoder().encode(item), as: UTF8.self).contains(#""AB-12345""#))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StockItem.self, from: Data(#"{"id": "AB", "title": "nut"}"#.utf8))
        }
        let owner = StockOwner(id: OwnerID(rawValue: UUID()))
        let json = try JSONEncoder().encode(owner)
        #expect(String(decoding: json, as: UTF8.self) == #"{"id":"\#(owner.id.rawValue.uuidString)"}"#)
        #expect(try JSONDecoder().decode(StockOwner.self, from: json) == owner)
    }

    @Test func `a shade that is new has a name`() throws {
        #expect(name(of: Flower(id: 1, shade: .known(.red))) == "red")
        let json = Data(#"{"id": 1, "shade": "blue"}"#.utf8)
        #expect(try name(of: JSONDecoder().decode(Flower.self, from: json)) == "something new, blue")
    }
}
