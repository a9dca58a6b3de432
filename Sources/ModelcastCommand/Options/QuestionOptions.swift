import ArgumentParser
import Modelcast

/// The process that is asked; the same options for all subcommands that ask once.
struct QuestionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The control endpoint of a publisher: tcp://host:port or ipc:///path.", valueName: "endpoint"))
    var connect: String

    @Option(
        help: ArgumentHelp(
            "How long an answer may take. (default: 5; with get --fetch 40)", valueName: "seconds"))
    var timeout: Seconds?

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
    /// - Parameter patience: how long an answer may take where that is not given.
    /// - Throws: `CommandFailure` when standard output is closed, or when nothing that speaks ZeroMQ answers.
    func client(patience: Seconds = .five) async throws -> ControlClient {
        try await client(at: connect, patience: patience)
    }

    /// A client of another holder, with the same keys and time limit.
    /// - Throws: as ``client(patience:)`` does.
    func client(at endpoint: String, patience: Seconds = .five) async throws -> ControlClient {
        try StandardStreams.requireOutput()
        if let fault = await EndpointProbe.checkConnection(endpoint) { throw CommandFailure(fault.reason) }
        return try ControlClient(endpoint: endpoint, timeout: (timeout ?? patience).duration, security: keys.security())
    }

    /// Writes to standard output; a reader that has gone is no failure.
    func print(_ bytes: [UInt8]) throws {
        if let failure = StandardOutput().write(bytes, isEnding: { false }).failure { throw failure }
    }
}
