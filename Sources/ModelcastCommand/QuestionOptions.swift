import ArgumentParser
import Modelcast

/// Whom to ask; the same for all subcommands that ask once.
struct QuestionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The control endpoint of a publisher: tcp://host:port or ipc:///path.", valueName: "endpoint"))
    var connect: String

    @Option(help: ArgumentHelp("How long an answer may take.", valueName: "seconds"))
    var timeout = Seconds.five

    func validate() throws {
        do {
            _ = try ControlClient(endpoint: connect)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The publisher, after a look at whether anything that speaks ZeroMQ is there.
    func client() async throws -> ControlClient {
        if let line = await EndpointProbe.checkConnection(connect) { throw CommandFailure(line) }
        return try ControlClient(endpoint: connect, timeout: timeout.duration)
    }

    /// Writes to standard output; a reader that has gone is no failure.
    func print(_ bytes: [UInt8]) throws {
        if let failure = StandardOutput().write(bytes, isEnding: { false }).failure { throw failure }
    }
}
