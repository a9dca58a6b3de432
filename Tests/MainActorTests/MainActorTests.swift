import Foundation
public import ModelcastMacros
import Testing

/// Models in a module in which everything is isolated to the main actor that does not say otherwise.
enum Shop {
    @FieldValue struct Label { var text: String }
    @Nested struct Address { var street: String, city: String? }
    @OneOf enum Payment {
        case cash
        case card(number: String)
    }

    @Model struct Order {
        @ID let id: String
        var count: Int?
        var labels: [Label] = []
        var address: Address?
        var payment: Payment?
        @Constant let total: Int
    }
}

@Model public struct Customer {
    @ID public let id: Int
    public var name: String
    @Local var isSelected: Bool = false
}

@Suite struct MainActorTests {
    private actor Keeper {
        private var customers: [Customer] = []

        func keep(_ text: String) throws -> String {
            customers.append(try JSONDecoder().decode(Customer.self, from: Data(text.utf8)))
            return customers.map(\.description).joined()
        }
    }

    nonisolated private static func fields(_ order: Shop.Order) throws -> Fields { try order.fields }

    @Test func `models are used on any actor where all else is on the main one`() async throws {
        let order = Shop.Order(
            id: "1", count: 2, labels: [Shop.Label(text: "a")], payment: .card(number: "7"), total: 3)
        #expect(try Self.fields(order)["payment.card.number"] == "7")
        #expect(order == order.with { $0.count = 2 })
        #expect(try await Keeper().keep(#"{"id": 1, "name": "Ada"}"#).contains("Ada"))
    }
}
