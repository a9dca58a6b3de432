import ArgumentParser

/// The `modelcast` command.
@main
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelcast",
        abstract: "Keeps copies of models equal in many processes.",
        discussion: """
            A publisher sends the fields that change; each subscriber merges them into a copy of its own and prints \
            the changes. Nothing runs between them.

            Try it in two terminals:

              $ modelcast subscribe --connect tcp://127.0.0.1:7400

              $ echo '{"id": "1", "name": "Ada", "address": {"city": "London"}}' |
                  modelcast publish --name demo --bind tcp://127.0.0.1:7400 --type User --id-field id

            Exit codes: 0 done, 1 failure, 64 the command line is wrong. Data goes to standard output, everything \
            for people to standard error.
            """,
        version: "0.1.0",
        subcommands: [
            Publish.self, Subscribe.self, RelayCommand.self, GatewayCommand.self, Get.self, Digest.self, Verify.self,
            Health.self, Demo.self, Stress.self, Chaos.self, Bench.self, Generate.self, Keygen.self,
            GrantsCommand.self,
        ])

    /// The entry point of the process.
    static func main() async {
        ProcessStart.prepare(CommandLine.arguments)
        await main(JoinedIDs.joining(in: Array(CommandLine.arguments.dropFirst())))
    }
}
