import Modelcast

/// Runs the two sides of a story.
enum TwoProcesses {
    /// The first process: publishes, and starts the second.
    static func tell(_ story: any Story.Type) async throws {
        let publisher = try Publisher(
            PublisherConfiguration(
                name: "writer", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*", stream: "tcp://127.0.0.1:*")),
            logger: Stage.quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            let endpoint = try await publisher.boundEndpoints.control
            let reader = try OtherProcess("reader", ["read", story.name, endpoint])
            try await story.write(publisher, reader)
            try await reader.end()
            group.cancelAll()
        }
    }

    /// The second process.
    static func read(_ story: any Story.Type, from endpoint: String) async throws {
        var configuration = SubscriberConfiguration(name: "reader", publishers: [endpoint])
        story.prepare(&configuration)
        let subscriber = try Subscriber(configuration, logger: Stage.quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await subscriber.run() }
            try await subscriber.waitUntilLive()
            try await story.read(subscriber, Stage.say)
            group.cancelAll()
        }
    }
}
