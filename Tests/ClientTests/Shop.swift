import Foundation
import Hummingbird
import Logging
import Modelcast
import ModelcastMacros
import NIOCore
import Observation
import ServiceLifecycle
import UnixSignals

// What the article "In a service" quotes: a shop that answers over HTTP from its own copy.

// example: shop-item
@Model struct Item {
    @ID let id: String
    var title: String?
    var stock: Int?
}
// end example

// example: shop-low-stock
/// Knows which items run low.
actor LowStock: Service {
    private let items: Subscriber
    private(set) var ids: Set<String> = []

    init(of items: Subscriber) { self.items = items }

    /// Ends with the group, and when the subscriber stops or this task is cancelled.
    func run() async {
        let changes = items.models(Item.self).changes(of: \.stock).stream()
        for await changes in changes.cancelOnGracefulShutdown() {
            for change in changes {
                if let stock = change.new?.stock, stock < 5 {
                    ids.insert(change.id)
                } else {
                    ids.remove(change.id)
                }
            }
        }
    }
}
// end example

// example: shop-routes
extension Item: ResponseEncodable {}

/// Answers reads from the copy, and publishes what is put.
func shopRoutes(_ items: Subscriber, _ low: LowStock, _ stock: Publisher) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("ready") { _, _ -> HTTPResponse.Status in
        items.status.isLive ? .ok : .serviceUnavailable
    }
    router.get("items/:id") { _, context in
        let id = try context.parameters.require("id")
        guard let item = items[lastGood: Item.self, id] else { throw HTTPError(.notFound) }
        return item
    }
    router.patch("items/:id") { request, context -> HTTPResponse.Status in
        let item = try await request.decode(as: Item.Partial.self, context: context)
        guard item.id == context.parameters.get("id") else { throw HTTPError(.badRequest) }
        do throws(ModelcastError) {
            _ = try stock.merge(item)  // the fields that the body has; the others stay as they are
        } catch {
            throw httpError(of: error)
        }
        return .accepted
    }
    router.get("low") { _, _ in await low.ids.sorted() }
    return router
}

/// What a client is told of a write that was not taken.
func httpError(of error: ModelcastError) -> HTTPError {
    let status: HTTPResponse.Status =
        switch error.code {
        case .model, .badInput: .badRequest
        case .constant: .conflict
        case .outboxFull, .stopped: .serviceUnavailable
        default: .internalServerError
        }
    return HTTPError(status, message: error.message)
}
// end example

// example: shop-service
/// The whole process: a copy, a publisher of its own, an actor, and HTTP.
struct Shop {
    let items: Subscriber
    let stock: Publisher
    let low: LowStock

    init(_ name: String, publishers: [String], control: String, logger: Logger) throws {
        items = try Subscriber(SubscriberConfiguration(name: name, publishers: publishers), logger: logger)
        stock = try Publisher(
            PublisherConfiguration(name: name, endpoints: SenderEndpoints(control: control)), logger: logger)
        low = LowStock(of: items)
    }

    /// All of it, until SIGTERM: `run()` it.
    /// - Parameter onServerRunning: is told of the channel, which knows the port.
    func group(
        at address: BindAddress, logger: Logger,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> ServiceGroup {
        let http = Application(
            router: shopRoutes(items, low, stock), configuration: ApplicationConfiguration(address: address),
            onServerRunning: onServerRunning, logger: logger)
        // They start in this order and stop in the opposite one: what reads the copy stops before it.
        return ServiceGroup(
            services: [stock, items, low, http], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    }
}
// end example

// example: shop-card
/// What a view shows of one item, on the main actor.
@MainActor @Observable final class ItemCard {
    private let item: LiveModel<Item>

    init(_ id: String, of items: Subscriber) { item = items.live(Item.self, id, on: .main) }

    /// Whoever reads it is told when the title or the stock changes, and of nothing else.
    var heading: String {
        guard let title = item.title else { return "no such item" }
        return item.stock.map { "\(title), \($0) left" } ?? title
    }
}
// end example

// example: shop-waiting
/// Waits until an item is there, for at most that long.
func wait(for id: String, in items: Subscriber, atMost limit: Duration) async throws -> Item {
    try await withThrowingTaskGroup(of: Item?.self) { group in
        group.addTask {
            for await changes in items.models(Item.self, id).stream() {
                if let item = changes.last?.new { return item }
            }
            return nil  // the subscriber has stopped, or this task is cancelled
        }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let item = try await group.next() ?? nil else { throw HTTPError(.notFound) }
        return item
    }
}
// end example
