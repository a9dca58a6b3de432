import Foundation

/// A day of a small shop as lines of JSON: products, couriers and orders, then the events of the day.
///
/// The same seed makes the same file. A replay in a loop keeps changing models: each round puts prices, stock and
/// orders back to the beginning of the day.
public enum ReplayFile {
    /// Writes the file.
    /// - Throws: the error of Foundation when it cannot be written.
    public static func write(to path: String, seed: UInt64 = 1, events: Int = 8_000) throws {
        var shop = Shop(numbers: SeededNumbers(seed: seed))
        shop.open()
        for event in 0..<events { shop.happen(event) }
        try Data(shop.lines.utf8).write(to: URL(fileURLWithPath: path))
    }
}

private struct Shop {
    var numbers: SeededNumbers
    var lines = ""
    private static let productCount = 400
    private static let courierCount = 30
    private static let orderCount = 900
    private static let steps = ["placed", "paid", "packed", "on its way", "delivered"]
    private static let goods = ["kettle", "lamp", "scarf", "notebook", "bicycle pump", "teapot", "clock", "rug"]
    private static let cities = ["Lyon", "Porto", "Gdansk", "Bergen", "Graz", "Ghent", "Turku", "Split"]
    private var stepOfOrder = [Int](repeating: 0, count: Shop.orderCount)

    init(numbers: SeededNumbers) { self.numbers = numbers }

    mutating func open() {
        for index in 0..<Shop.productCount {
            line(
                "Product", "sku-\(index)",
                #""name":"\#(pick(Shop.goods)) no. \#(index)","price_cents":\#(500 + numbers.below(20_000)),"#
                    + #""stock":\#(numbers.below(200)),"rating":\#(Double(numbers.below(50)) / 10),"reserved":0"#)
        }
        for index in 0..<Shop.courierCount {
            line("Courier", "c-\(index)", #""city":"\#(pick(Shop.cities))","latitude":0,"longitude":0,"battery":100"#)
        }
        for index in 0..<Shop.orderCount {
            stepOfOrder[index] = 0
            line(
                "Order", "o-\(index)",
                #""product":"sku-\#(numbers.below(Shop.productCount))","count":\#(1 + numbers.below(4)),"#
                    + #""address.city":"\#(pick(Shop.cities))","address.street":"\#(numbers.text(9)) street","#
                    + #""status":"placed","courier":null,"gift":\#(numbers.below(4) == 0)"#)
        }
    }

    mutating func happen(_ event: Int) {
        switch numbers.below(10) {
        case 0..<4:
            line(
                "Courier", "c-\(numbers.below(Shop.courierCount))",
                #""latitude":\#(degrees()),"longitude":\#(degrees()),"battery":\#(numbers.below(101))"#)
        case 4..<6:
            line("Product", "sku-\(numbers.below(Shop.productCount))", #""stock":\#(numbers.below(200))"#)
        case 6:
            line(
                "Product", "sku-\(numbers.below(Shop.productCount))",
                #""price_cents":\#(500 + numbers.below(20_000)),"reserved":\#(numbers.below(9))"#)
        default: advance(numbers.below(Shop.orderCount), event)
        }
    }

    /// Writes the next step of an order. An order that was delivered is deleted.
    private mutating func advance(_ order: Int, _ event: Int) {
        stepOfOrder[order] += 1
        let step = stepOfOrder[order]
        switch step {
        case Shop.steps.count: line("Order", "o-\(order)", #""deleted":true"#)
        case (Shop.steps.count + 1)...: break
        case 3:
            line(
                "Order", "o-\(order)",
                #""status":"\#(Shop.steps[step])","courier":"c-\#(numbers.below(Shop.courierCount))""#)
        default: line("Order", "o-\(order)", #""status":"\#(Shop.steps[step])","changed_at":\#(event)"#)
        }
    }

    private mutating func line(_ type: String, _ id: String, _ fields: String) {
        lines += #"{"type":"\#(type)","id":"\#(id)",\#(fields)}"# + "\n"
    }

    private mutating func degrees() -> Double { Double(numbers.below(180_000)) / 1000 - 90 }
    private mutating func pick(_ choices: [String]) -> String { choices[numbers.below(choices.count)] }
}
