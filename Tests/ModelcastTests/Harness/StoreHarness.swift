import Foundation
import ServiceLifecycle
import TestSupport
import Testing

@testable import ModelStore
@testable import Modelcast

/// Runs a service while `body` does its work, then ends it in good order.
func during<S: Service & Sendable, R: Sendable>(
    _ service: S, _ body: @escaping @Sendable (S) async throws -> R
) async throws -> R {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await service.run() }
        let result: R
        do {
            result = try await body(service)
        } catch {
            group.cancelAll()
            throw error
        }
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

extension WriteBehindConfiguration {
    /// Nothing is flushed unless somebody asks for it: what is in the file then got there otherwise.
    static let never = WriteBehindConfiguration(
        flushInterval: .seconds(3600), retryInterval: .milliseconds(1), retryIntervalMax: .milliseconds(20))
    /// Flushed at once.
    static let quick = WriteBehindConfiguration(
        flushInterval: .milliseconds(5), retryInterval: .milliseconds(1), retryIntervalMax: .milliseconds(20))
}

extension TemporaryDirectory {
    /// What a process that is killed now would leave of a store: a copy of its files.
    func crash(_ name: String, as copy: String) throws -> String {
        // The mark first: it may be behind the file, never ahead of it.
        for suffix in ["-mark", "", "-wal"] where FileManager.default.fileExists(atPath: path(name) + suffix) {
            try FileManager.default.copyItem(atPath: path(name) + suffix, toPath: path(copy) + suffix)
        }
        return path(copy)
    }
}

/// Writes over the middle of a store's file, past its first pages.
func damage(_ store: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: store))
    try file.seek(toOffset: 400_000)
    try file.write(contentsOf: Data(repeating: 0x55, count: 200_000))
    try file.close()
}

extension StoreLink {
    /// Leaves the file room for so many more pages, as a full disk would.
    func limitPages(more count: Int) throws {
        try behind.queue.sync {
            try behind.writer.withStore { try $0.limitPages(to: $0.pageCount() + count) }
        }
    }

    /// The bytes of batches in the file.
    func ringByteCount() throws -> Int {
        try behind.read(within: .seconds(30)) { store throws(StoreError) in store.ringByteCount }
    }
}

/// A relay of a publisher, without a store.
func makeRelay(of publisher: SenderEndpoints) throws -> Relay {
    try Relay(
        RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"),
            publishers: [publisher.control]), logger: silent)
}

/// A publisher that serves at a port of its own and has a store.
func makePublisher(
    _ store: String?, name: String = "p", durability: Durability = .none,
    writing: WriteBehindConfiguration = .quick, control: String = "tcp://127.0.0.1:*"
) throws -> Publisher {
    var configuration = PublisherConfiguration(name: name, endpoints: try SenderEndpoints(control: control))
    configuration.heartbeatInterval = .milliseconds(50)
    configuration.store = store
    configuration.durability = durability
    configuration.storeWriting = writing
    return try Publisher(configuration, logger: silent)
}

/// The code of the error that `body` throws.
func errorCode(_ body: () throws -> Void) -> ModelcastError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? ModelcastError)?.code
    }
}
