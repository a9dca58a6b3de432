import Modelcast
import ServiceLifecycle
import TestSupport
import Testing

/// Writers that find the outbox full.
@Suite struct OutboxTests {
    private func smallOutbox() throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.outboxByteCount = 1_000
        return try Publisher(configuration, logger: silent)
    }

    /// Writes until there is no room.
    private func fill(_ publisher: Publisher) throws {
        for id in 0..<1_000 where !publisher.isOutboxFull {
            try publisher.merge("User", "\(id)", ["text": "some text to fill it"])
        }
        #expect(publisher.isOutboxFull)
    }

    @Test func `a writer that waits for room writes when the socket's thread has sent what there was`() async throws {
        let publisher = try smallOutbox()
        try fill(publisher)
        let writer = Task {
            for id in 0..<200 {
                try await publisher.waitingForRoom {
                    try publisher.merge("Late", "\(id)", ["text": "some text that has to wait"])
                }
            }
        }
        try await running(publisher) { _ in try await writer.value }
        #expect(publisher.cache.count(of: "Late") == 200)
    }

    @Test func `waiting for room ends when the task is cancelled`() async throws {
        let publisher = try smallOutbox()
        try fill(publisher)
        let writer = Task { try await publisher.waitForRoom() }
        writer.cancel()
        await #expect(throws: CancellationError.self) { try await writer.value }
    }

    @Test func `waiting for room ends with an error when there is none for so long`() async throws {
        let publisher = try smallOutbox()
        try fill(publisher)
        let error = await #expect(throws: ModelcastError.self) {
            try await publisher.waitForRoom(timeout: .milliseconds(1))
        }
        #expect(error?.code == .timeout && "\(error as Any)".contains("still full after 0.001 seconds"))
        await #expect(throws: ModelcastError.self) {
            try await publisher.waitingForRoom(timeout: .milliseconds(1)) { try publisher.merge("User", "1", ["a": 1]) }
        }
    }

    @Test func `waiting for room ends with an error when the publisher stops, and where it has`() async throws {
        let publisher = try smallOutbox()
        try await running(publisher) { _ in }
        let error = await #expect(throws: ModelcastError.self) { try await publisher.waitForRoom() }
        #expect(error?.code == .stopped)
    }

    @Test func `where there is room nobody waits, and what the write throws is thrown`() async throws {
        let publisher = try smallOutbox()
        try await publisher.waitForRoom()
        let outcome = try await publisher.waitingForRoom { try publisher.merge("User", "1", ["a": 1]) }
        #expect(outcome != .unchanged)
        let error = await #expect(throws: ModelcastError.self) {
            try await publisher.waitingForRoom { try publisher.merge("no type", "1", ["a": 1]) }
        }
        #expect(error?.code == .badInput)
    }
}
