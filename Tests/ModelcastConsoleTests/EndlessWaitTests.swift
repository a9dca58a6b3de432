import Logging
import Modelcast
import ModelcastConsole
import ModelcastTesting
import Synchronization
import TestSupport
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

    private final class Flood: Sendable {
        let isOver = Atomic(false)
    }

    /// A connection that the server takes when it has stopped serving would end the process.
    @Test func `a console that ends while clients connect ends in good order`() async throws {
        try await withPair { _, subscriber, _ in
            for _ in 0..<5 {
                let console = Console(
                    try ConsoleConfiguration("127.0.0.1:0"), of: [.subscriber(subscriber)],
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                let running = Task { try await console.run() }
                let port = try await console.boundPort
                let flood = Flood()
                await withTaskGroup { group in
                    for _ in 0..<2 {
                        group.addTask {
                            try? await onOwnThread {
                                while !flood.isOver.load(ordering: .relaxed) {
                                    _ = try RawConnection(to: "tcp://127.0.0.1:\(port)")
                                }
                            }
                        }
                    }
                    _ = try? await onOwnThread { _ = try RawConnection(to: "tcp://127.0.0.1:\(port)") }
                    running.cancel()
                    _ = await running.result
                    flood.isOver.store(true, ordering: .relaxed)
                }
            }
        }
    }
}
