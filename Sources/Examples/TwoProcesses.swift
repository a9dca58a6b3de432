import Foundation
import Logging
import Modelcast

/// Runs the two sides of a story.
enum TwoProcesses {
    /// The first process: publishes, and starts the second.
    static func tell(_ story: any Story.Type) async throws {
        let publisher = try Publisher(
            PublisherConfiguration(
                name: "writer", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*", stream: "tcp://127.0.0.1:*")),
            logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            let reader = try ReaderProcess(story: story.name, endpoint: await publisher.boundEndpoints.control)
            try await story.write(publisher, reader)
            try await reader.end()
            group.cancelAll()
        }
    }

    /// The second process.
    static func read(_ story: any Story.Type, from endpoint: String) async throws {
        let subscriber = try Subscriber(
            SubscriberConfiguration(name: "reader", publishers: [endpoint]), logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await subscriber.run() }
            try await subscriber.waitUntilLive()
            try await story.read(subscriber) { line in
                FileHandle.standardOutput.write(Data("\(line)\n".utf8))
            }
            group.cancelAll()
        }
    }

    private static var quiet: Logger {
        Logger(label: "examples") { _ in SwiftLogNoOpLogHandler() }
    }
}
