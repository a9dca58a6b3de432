import ArgumentParser

/// Small programs of two processes or more. Each is quoted in the documentation.
@main struct Examples: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "examples",
        abstract: "Runs the examples of the documentation, each as two processes or more.",
        subcommands: [Tell.self, Read.self, Act.self], defaultSubcommand: Tell.self)

    static var stories: [any Story.Type] {
        [MessageThread.self, SignUp.self, ShownTwice.self, LoadedInParts.self, SessionCache.self]
    }

    static var plays: [any Play.Type] { [ServiceRegistry.self, Presence.self] }

    static var names: [String] { stories.map { $0.name } + plays.map { $0.name } }

    static func unknown(_ name: String) -> ValidationError {
        ValidationError("there is no example \(name); there are \(names.joined(separator: ", "))")
    }
}

/// The first process: starts the others.
struct Tell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs examples; all, if none is named.")

    @Argument(help: "\(Examples.names.joined(separator: ", ")).") var names: [String] = []

    func validate() throws {
        for name in names where !Examples.names.contains(name) { throw Examples.unknown(name) }
    }

    func run() async throws {
        for name in names.isEmpty ? Examples.names : names {
            print(name)
            if let story = Examples.stories.first(where: { $0.name == name }) {
                try await TwoProcesses.tell(story)
            } else if let play = Examples.plays.first(where: { $0.name == name }) {
                try await play.lead(Stage(play: play))
            }
        }
    }
}

/// The second process of a story.
struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The reading process of an example; the other starts it.", shouldDisplay: false)

    @Argument var name: String
    @Argument var endpoint: String

    func run() async throws {
        guard let story = Examples.stories.first(where: { $0.name == name }) else { throw Examples.unknown(name) }
        try await TwoProcesses.read(story, from: endpoint)
    }
}

/// One of the processes of a play.
struct Act: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A process of an example; the first one starts it.", shouldDisplay: false)

    @Argument var name: String
    @Argument var role: String
    @Argument var arguments: [String] = []

    func run() async throws {
        guard let play = Examples.plays.first(where: { $0.name == name }) else { throw Examples.unknown(name) }
        try await play.act(role, arguments, Stage(play: play))
    }
}
