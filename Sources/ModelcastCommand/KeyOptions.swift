import ArgumentParser
import Foundation
import Modelcast

/// The keys of a process and of those whom it trusts; the same for all subcommands that connect or serve.
struct KeyOptions: ParsableArguments {
    /// The secret key itself may stand here, where a file is inconvenient.
    static let variable = "MODELCAST_SECRET_KEY"

    @Option(
        help: ArgumentHelp(
            "This process's secret key, a file of modelcast keygen: everything is encrypted, and both sides prove who "
                + "they are. Default: the key in \(KeyOptions.variable); else no keys.", valueName: "file"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The public key that the other side has to prove, for all endpoints or for one. Repeat it for several.",
            valueName: "[endpoint=]file"))
    var serverKey: [String] = []

    @Option(
        help: ArgumentHelp(
            "The public keys of the clients that may connect to this process. Repeat it for several files.",
            valueName: "file"))
    var clientKeys: [String] = []

    private static var secret: String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private var hasKey: Bool { key != nil || KeyOptions.secret != nil }

    func validate() throws {
        guard hasKey || (serverKey.isEmpty && clientKeys.isEmpty) else {
            throw ValidationError(
                "--server-key and --client-keys say whom to trust, and this process has to prove itself too: "
                    + "it needs --key")
        }
    }

    /// Refuses a command line that leaves out whom to trust.
    /// - Parameters:
    ///   - connects: whether it connects to anything.
    ///   - serves: whether anything connects to it.
    func check(connects: Bool, serves: Bool) throws {
        guard hasKey else { return }
        guard !connects || !serverKey.isEmpty else {
            throw ValidationError("with a key the other side has to prove its own: name its public key, --server-key")
        }
        guard !serves || !clientKeys.isEmpty else {
            throw ValidationError("with a key only known clients come in: name their public keys, --client-keys")
        }
        guard connects || serverKey.isEmpty else {
            throw ValidationError("--server-key is about endpoints that this process connects to: there is none")
        }
        guard serves || clientKeys.isEmpty else {
            throw ValidationError("--client-keys is about who connects to this process: nothing is served here")
        }
    }

    /// Reads the files; nil without a key.
    func security() throws -> Security? {
        guard hasKey else { return nil }
        var security = Security(keys: try ownKeys())
        for path in clientKeys { security.clients.formUnion(try KeyFile.publicKeys(at: path)) }
        for option in serverKey {
            let (endpoint, path) = KeyOptions.split(option)
            let keys = try KeyFile.publicKeys(at: path)
            guard keys.count == 1 else {
                throw CommandFailure("\(path) holds \(keys.count) public keys, and a server has one")
            }
            if let endpoint {
                security.serversByEndpoint[endpoint] = keys[0]
            } else {
                security.server = keys[0]
            }
        }
        return security
    }

    private func ownKeys() throws -> Curve.KeyPair {
        if let key { return try KeyFile.keyPair(at: key) }
        return try KeyFile.keyPair(z85: KeyOptions.secret ?? "", called: KeyOptions.variable)
    }

    /// `tcp://host:port=file`, or a file.
    static func split(_ option: String) -> (endpoint: String?, path: String) {
        guard let scheme = option.range(of: "://"),
            let equals = option[scheme.upperBound...].firstIndex(of: "=")
        else { return (nil, option) }
        return (String(option[..<equals]), String(option[option.index(after: equals)...]))
    }
}
