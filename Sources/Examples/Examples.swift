import ArgumentParser

/// Small programs of two processes: one publishes, one reads. Each is quoted in the documentation.
@main struct Examples: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "examples",
        abstract: "Runs the examples of the documentation, each as two processes.",
        subcommands: [Tell.self, Read.self], defaultSubcommand: Tell.self)

    static var stories: [any Story.Type] {
        [MessageThread.self, SignUp.self, ShownTwice.self, LoadedInParts.self]
    }

    static func story(_ name: String) throws -> any Story.Type {
        guard let story = stories.first(where: { $0.name == name }) else {
            let names = stories.map { $0.name }.joined(separator: ", ")
            throw ValidationError("there is no example \(name); there are \(names)")
        }
        return story
    }
}

/// The first process: starts the second.
struct Tell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs examples; all, if none is named.")

    @Argument(help: "message-thread, sign-up, shown-twice, loaded-in-parts.") var names: [String] = []

    func validate() throws {
        for name in names { _ = try Examples.story(name) }
    }

    func run() async throws {
        let stories = names.isEmpty ? Examples.stories : try names.map(Examples.story)
        for story in stories {
            print("\(story.name)")
            try await TwoProcesses.tell(story)
        }
    }
}

/// The second process.
struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The reading process of an example; the other starts it.", shouldDisplay: false)

    @Argument var name: String
    @Argument var endpoint: String

    func run() async throws { try await TwoProcesses.read(Examples.story(name), from: endpoint) }
}
