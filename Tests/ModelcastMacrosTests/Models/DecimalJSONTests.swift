import Foundation
import ModelTypes
import ModelcastMacros
import Testing

@FieldValue private struct Price {
    var amount: Decimal
    var currency: String = "EUR"
}

@Model private struct Offer {
    @ID let id: Int
    var price: Price
    @Field(validate: .range(0...1000)) var discount: Decimal?
    var steps: [Decimal] = []
    var byCountry: [String: Decimal]?
    var rows: [[Decimal?]]?
}

/// Decimal numbers in the JSON of models.
@Suite struct `Decimal numbers in JSON` {
    private func read(_ json: String) throws -> Offer { try JSONDecoder().decode(Offer.self, from: Data(json.utf8)) }

    @Test func `a number and a text are read exactly, and a number is written`() throws {
        let offer = try read(#"{"id": 1, "price": {"amount": "0.1"}, "discount": 12345.6789e-3, "steps": [0.3, 2]}"#)
        #expect(offer.price.amount == Decimal(string: "0.1"))
        #expect(offer.discount == Decimal(string: "12.3456789"))
        #expect(offer.steps == [Decimal(string: "0.3"), 2])
        #expect(
            try offer.fields == [
                "price": ["amount": "0.1", "currency": "EUR"], "discount": "12.3456789", "steps": ["0.3", "2"],
            ])
        let json = try JSONEncoder().encode(offer)
        #expect(String(decoding: json, as: UTF8.self).contains(#""discount":12.3456789"#))
        #expect(try JSONDecoder().decode(Offer.self, from: json) == offer)
    }

    @Test func `a text that is no decimal number is refused with its path`() {
        do {
            _ = try read(#"{"id": 1, "price": {"amount": "much"}}"#)
            Issue.record("the offer is read")
        } catch let DecodingError.dataCorrupted(context) {
            #expect(context.codingPath.map(\.stringValue) == ["price", "amount"])
            #expect(context.debugDescription == #"Offer 1: price.amount: "much" is not a decimal number"#)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `texts in arrays and maps are read exactly, beside numbers`() throws {
        let offer = try read(
            #"{"id": 1, "price": {"amount": 1}, "steps": ["1.5", 0.30000000000000000001],"#
                + #" "byCountry": {"GB": "0.1"}, "rows": [["2", null], [3]]}"#)
        #expect(offer.steps == [Decimal(string: "1.5"), Decimal(string: "0.30000000000000000001")])
        #expect(offer.byCountry == ["GB": Decimal(string: "0.1")!])
        #expect(offer.rows == [[2, nil], [3]])
    }

    @Test(arguments: [
        (#""steps": ["much"]"#, "steps/0", #""much" is not a decimal number"#),
        (#""steps": [1, true]"#, "steps/1", "true is not a decimal number"),
        (#""steps": "1.5""#, "steps", #""1.5" is not an array"#),
        (#""byCountry": {"GB": "1,5"}"#, "byCountry/GB", #""1,5" is not a decimal number"#),
        (#""byCountry": {"GB": null}"#, "byCountry/GB", "null is not a decimal number"),
        (#""rows": [[1], ["?"]]"#, "rows/1/0", #""?" is not a decimal number"#),
        (#""discount": 1e400"#, "discount", #""1e400" is not a number in the range of a type"#),
    ])
    func `a part that is no decimal number is refused with its path and a reason`(
        json: String, path: String, words: String
    ) {
        do {
            _ = try read(#"{"id": 1, "price": {"amount": 1}, \#(json)}"#)
            Issue.record("the offer is read")
        } catch let DecodingError.dataCorrupted(context) {
            #expect(context.codingPath.map(\.stringValue).joined(separator: "/") == path)
            #expect(context.debugDescription.contains(words), "\(context.debugDescription)")
        } catch {
            Issue.record("\(error)")
        }
    }
}
