import Foundation
import Logging
import ModelRecord
import ModelTypes
import Modelcast
import ModelcastMacros
import TestSupport
import Testing

/// Documents that a schema allows, as models, and on every way that these go.
@Suite struct RoundTripTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private var endpoint: String { "ipc://\(folder.path("p"))" }

    private func makePublisher() throws -> Publisher {
        var configuration = PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: endpoint))
        configuration.store = folder.path("p.store")
        return try Publisher(configuration, logger: logger)
    }

    /// Reads a document, and writes it and reads it back; then publishes it and reads the record.
    /// - Returns: a check that another source has the same model.
    private func check<M: Model & Codable>(
        _ document: Data, as type: M.Type, _ publisher: Publisher
    ) throws -> (id: String, check: @Sendable (any ModelSource) throws -> Void) {
        let model = try JSONDecoder().decode(M.self, from: document)
        let json = try JSONEncoder().encode(model)
        let again = try JSONDecoder().decode(M.self, from: json)
        guard again == model else {
            throw CaseFailure("\(model)\n comes back as\n\(again)\n of \(String(decoding: json, as: UTF8.self))")
        }
        // Another document of the same id has other constants.
        try publisher.delete(M.self, model.id)
        try publisher.replace(model)
        let check: @Sendable (any ModelSource) throws -> Void = { source in
            let found = try source.model(M.self, model.id)
            guard found == model else { throw CaseFailure("\(model)\n has become\n\(found as Any)") }
        }
        try check(publisher)
        return ("\(M.modelType) \(model.id.idText)", check)
    }

    @Test func `a document that a schema allows is read, and stays equal in JSON, on the wire and in a store`()
        async throws
    {
        let documents = try RandomDocuments()
        let publisher = try makePublisher()
        let subscriber = try Subscriber(SubscriberConfiguration(name: "s", publishers: [endpoint]), logger: logger)
        let services = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await publisher.run() }
                group.addTask { try await subscriber.run() }
                try await group.waitForAll()
            }
        }
        // Before anything is written, so that the models travel in batches and not in a copy.
        try await subscriber.waitUntilLive()
        var checks: [String: @Sendable (any ModelSource) throws -> Void] = [:]
        forEachSeed(5_000) { _, generator in
            func check<M: Model & Codable>(_ file: String, as type: M.Type) throws {
                let document = try JSONEncoder().encode(
                    try documents.document(of: "\(file).schema.json", using: &generator))
                do {
                    let (id, check) = try self.check(document, as: type, publisher)
                    checks[id] = check
                } catch {
                    throw CaseFailure("\(error)\n for \(String(decoding: document, as: UTF8.self))")
                }
            }
            try check("account", as: Account.self)
            try check("user", as: User.self)
            try check("message", as: Message.self)
            try check("board", as: Board.self)
            try check("pin", as: Pin.self)
            try check("corner", as: Corner.self)
            try check("outline", as: Outline.self)
            try check("order", as: Order.self)
        }
        try await publisher.waitUntilDurable()
        try await subscriber.waitUntilApplied(publisher.writeToken, timeout: .seconds(60))
        for check in checks.values { try check(subscriber) }
        services.cancel()
        try await services.value
        let restarted = try makePublisher()
        for check in checks.values { try check(restarted) }
        #expect(checks.count > 0)
    }
}
