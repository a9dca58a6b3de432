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

    @OptionGroup var keys: KeyOptions

    func validate() throws {
        do {
            _ = try ControlClient(endpoint: connect)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Refuses keys that do not go with the endpoints.
    /// - Parameter other: another holder that is asked.
    func checkKeys(beside other: String? = nil) throws {
        try keys.check(connectingTo: [connect] + (other.map { [$0] } ?? []))
    }

    /// The publisher, after a look at whether anything that speaks ZeroMQ is there.
    func client() async throws -> ControlClient { try await client(at: connect) }

    /// The same of another holder, with the same keys and patience.
    func client(at endpoint: String) async throws -> ControlClient {
        try StandardStreams.requireOutput()
        if let line = await EndpointProbe.checkConnection(endpoint) { throw CommandFailure(line) }
        return try ControlClient(endpoint: endpoint, timeout: timeout.duration, security: keys.security())
    }

    /// Writes to standard output; a reader that has gone is no failure.
    func print(_ bytes: [UInt8]) throws {
        if let failure = StandardOutput().write(bytes, isEnding: { false }).failure { throw failure }
    }
}
