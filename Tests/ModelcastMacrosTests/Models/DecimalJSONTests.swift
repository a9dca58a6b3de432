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
}
