import ArgumentParser
import Modelcast

/// The process that is asked; the same options for all subcommands that ask once.
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
    /// - Parameter other: the endpoint of another holder that is asked.
    func checkKeys(beside other: String? = nil) throws {
        try keys.check(connectingTo: [connect] + (other.map { [$0] } ?? []))
    }

    /// A client of the process at `--connect`.
    /// - Throws: `CommandFailure` when standard output is closed, or when nothing that speaks ZeroMQ answers.
    func client() async throws -> ControlClient { try await client(at: connect) }

    /// A client of another holder, with the same keys and time limit.
    /// - Throws: as ``client()`` does.
    func client(at endpoint: String) async throws -> ControlClient {
        try StandardStreams.requireOutput()
        if let fault = await EndpointProbe.checkConnection(endpoint) { throw CommandFailure(fault.reason) }
        return try ControlClient(endpoint: endpoint, timeout: timeout.duration, security: keys.security())
    }

    /// Writes to standard output; a reader that has gone is no failure.
    func print(_ bytes: [UInt8]) throws {
        if let failure = StandardOutput().write(bytes, isEnding: { false }).failure { throw failure }
    }
}
