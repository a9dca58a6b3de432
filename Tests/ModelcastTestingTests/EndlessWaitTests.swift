import Modelcast
import ModelcastTesting
import Testing

/// What waits in the test kit: each wait ends when its task is cancelled.
@Suite(.timeLimit(.minutes(2))) struct EndlessWaitTests {
    /// Calls `body` in a task that has been cancelled already, and expects to be told so.
    private func expectCancelled(_ body: @escaping @Sendable () async throws -> Void) async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await body()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `waiting in the kit ends when the task is cancelled`() async throws {
        try await withPair { publisher, subscriber, network in
            try network.hold(from: "publisher", to: "subscriber")
            try publisher.merge("User", "1", ["age": 1])
            await expectCancelled { try await network.settle() }
            await expectCancelled { try await network.advance(by: .seconds(600)) }
            await expectCancelled { _ = try await network.publisher("other") }
            await expectCancelled { _ = try await network.relay("relay", of: ["publisher"]) }
            let recorder = ChangeRecorder(of: subscriber, .type("User"))
            await expectCancelled { _ = try await recorder.take(atLeast: 100, within: .seconds(600)) }
            await expectCancelled { try await network.stop("publisher") }
            await expectCancelled { try await withNetwork { try await $0.settle() } }
            await expectCancelled { try await withPair { _, _, network in try await network.settle() } }
        }
    }
}
