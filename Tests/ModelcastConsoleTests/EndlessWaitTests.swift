import Logging
import Modelcast
import ModelcastConsole
import ModelcastTesting
import Testing

/// What waits in the console: each wait ends when its task is cancelled.
@Suite(.timeLimit(.minutes(2))) struct EndlessWaitTests {
    @Test func `waiting for the port ends when the task is cancelled, and so does a console that runs`() async throws {
        try await withPair { _, subscriber, _ in
            let console = Console(
                try ConsoleConfiguration("127.0.0.1:0"), of: [.subscriber(subscriber)],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let waiting = Task { try await console.boundPort }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            let running = Task { try await console.run() }
            #expect(try await console.boundPort > 0)
            running.cancel()
            try await running.value
        }
    }
}
