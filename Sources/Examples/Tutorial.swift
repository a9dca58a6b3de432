import Dispatch
import Logging
import Modelcast
import ModelcastMacros
import ServiceLifecycle
import UnixSignals

// The parts of the tutorial. It is no story, as each of its processes runs until it is told to end.

// example: tutorial-model
@Model struct Stock {
    @ID let symbol: String
    var name: String
    var price: Double
    var note: String?
}
// end example

// example: tutorial-publisher
/// Serves two stocks, and changes the price of one, until SIGINT.
func publishStocks(at endpoint: String, logger: Logger) async throws {
    let publisher = try Publisher(
        PublisherConfiguration(name: "exchange", endpoints: try SenderEndpoints(control: endpoint)), logger: logger)

    try publisher.merge(Stock(symbol: "ACME", name: "Acme", price: 10))
    try publisher.merge(Stock(symbol: "INIT", name: "Initech", price: 42, note: "has moved"))
    try publisher.update(Stock.self, "ACME") { $0.price += 0.5 }  // only the price travels

    try await ServiceGroup(services: [publisher], gracefulShutdownSignals: [.sigint], logger: logger).run()
}
// end example

// example: tutorial-subscriber
/// Tells prices, the present ones and every change, until SIGINT.
func watchStocks(at endpoint: String, logger: Logger) async throws {
    let subscriber = try Subscriber(
        SubscriberConfiguration(name: "screen", publishers: [endpoint]), logger: logger)

    let prices = subscriber.models(Stock.self).changes(of: \.price)
    let observation = prices.observe(on: DispatchQueue(label: "prices")) { changes in
        for change in changes {
            guard let stock = change.new else { continue }
            print(change.isInitial ? "at first" : "now", stock.name, stock.price, stock.note ?? "")
        }
    }
    defer { observation.cancel() }

    try await ServiceGroup(services: [subscriber], gracefulShutdownSignals: [.sigint], logger: logger).run()
}
// end example

// example: tutorial-main
struct Stocks {
    static func main() async throws {
        let logger = Logger(label: "stocks")
        let endpoint = "tcp://127.0.0.1:7400"
        if CommandLine.arguments.dropFirst().first == "publish" {
            try await publishStocks(at: endpoint, logger: logger)
        } else {
            try await watchStocks(at: endpoint, logger: logger)
        }
    }
}
// end example
