import Foundation
import Hummingbird
import Logging
import Modelcast
import Observation
import ServiceLifecycle
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the article "In a service" says.
@Suite(.timeLimit(.minutes(2))) struct ShopTests {
    private let logger = Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a supplier, which has two items, and a shop that listens to it and to itself.
    /// - Parameter isCancelled: the shop is not shut down in good order; its task is cancelled.
    private func withShop(
        isCancelled: Bool = false, _ body: (Shop, Publisher, URL) async throws -> Void
    ) async throws {
        let supplier = try Publisher(
            PublisherConfiguration(
                name: "supplier", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")), logger: logger)
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let own = "ipc://\(folder.path)/control"
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await supplier.run() }
            _ = try supplier.merge(Item(id: "1", title: "Lamp", stock: 9))
            _ = try supplier.merge(Item(id: "2", title: "Chair", stock: 2))
            let shop = try Shop(
                "shop", publishers: [await supplier.boundEndpoints.control, own], control: own, logger: logger)
            let (ports, found) = AsyncStream.makeStream(of: Int.self)
            let group = shop.group(at: .hostname("127.0.0.1", port: 0), logger: logger) { channel in
                found.yield(channel.localAddress?.port ?? 0)
            }
            let run = Task {
                defer { found.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            try await shop.items.waitUntilLive()
            try await body(shop, supplier, #require(URL(string: "http://127.0.0.1:\(port)")))
            if isCancelled { run.cancel() } else { await group.triggerGracefulShutdown() }
            _ = await run.result
            tasks.cancelAll()
        }
    }

    private func ask(_ url: URL, _ path: String, patch: String? = nil) async throws -> (status: Int, body: String) {
        var request = URLRequest(url: url.appending(path: path))
        if let patch {
            request.httpMethod = "PATCH"
            request.httpBody = Data(patch.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    private func item(_ json: String) throws -> Item { try JSONDecoder().decode(Item.self, from: Data(json.utf8)) }

    @Test func `a service answers from its copy, publishes what is put, and refuses what is no model`() async throws {
        try await withShop { shop, _, url in
            try await #expect(ask(url, "ready").status == 200)
            try await #expect(item(ask(url, "items/1").body) == Item(id: "1", title: "Lamp", stock: 9))
            try await #expect(ask(url, "items/3").status == 404)
            try await #expect(ask(url, "items/1", patch: #"{"id":"1","stock":3}"#).status == 202)
            let refused = try await ask(url, "items/1", patch: #"{"id":"1","stock":"three"}"#)
            #expect(refused.status == 400 && refused.body.contains("stock"))
            try await #expect(ask(url, "items/1", patch: "{").status == 400)
            try await #expect(ask(url, "items/1", patch: #"{"id":"2","stock":1}"#).status == 400)
            for await changes in shop.items.models(Item.self, "1").stream() where changes.last?.new?.stock == 3 {
                break
            }
            try await #expect(item(ask(url, "items/1").body) == Item(id: "1", title: "Lamp", stock: 3))
            while await shop.low.ids != ["1", "2"] { await Task.yield() }
            try await #expect(ask(url, "low").body == #"["1","2"]"#)
        }
    }

    @Test func `a card on the main actor tells of what it shows, and of nothing else`() async throws {
        try await withShop { shop, supplier, _ in
            try await follow(ItemCard("1", of: shop.items), while: supplier)
        }
    }

    @MainActor private func follow(_ card: ItemCard, while supplier: Publisher) async throws {
        #expect(card.heading == "Lamp, 9 left")
        for stock in 0..<3 {
            let told = AsyncStream<Void> { continuation in
                withObservationTracking {
                    _ = card.heading
                } onChange: {
                    continuation.finish()
                }
            }
            _ = try supplier.update(Item.self, "1") { $0.stock = stock }
            for await _ in told {}
            // The change is announced before it is made, on the same queue.
            await Task.yield()
            #expect(card.heading == "Lamp, \(stock) left")
        }
    }

    @Test func `waiting for an item ends with the item, with its time, and with its task`() async throws {
        try await withShop { shop, supplier, _ in
            async let waited = wait(for: "3", in: shop.items, atMost: .seconds(60))
            _ = try supplier.merge(Item(id: "3", title: "Desk"))
            let desk = try await waited
            #expect(desk.title == "Desk")
            await #expect(throws: HTTPError.self) { try await wait(for: "4", in: shop.items, atMost: .milliseconds(1)) }
            let task = Task { try await wait(for: "5", in: shop.items, atMost: .seconds(60)) }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        }
    }

    @Test(arguments: [false, true])
    func `a service that is shut down, or cancelled, ends everything and returns`(isCancelled: Bool) async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        try await withShop(isCancelled: isCancelled) { shop, _, url in
            try await #expect(ask(url, "items/1").status == 200)
            // A task that belongs to no group ends with the subscriber.
            Task {
                for await _ in shop.items.models(Item.self).stream() {}
                ended.finish()
            }
        }
        for await _ in ends {}
    }
}
