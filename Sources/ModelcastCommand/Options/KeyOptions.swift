import ArgumentParser
import Foundation
import Modelcast

/// The key of a process and those of the servers that it trusts; the same for all subcommands that connect.
struct KeyOptions: ParsableArguments {
    /// The environment variable that may hold the secret key itself, where a file is inconvenient.
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

    private static var secret: String? { secret(in: variable) }

    /// The key that an environment variable holds; nil where it is not set, or empty.
    static func secret(in variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// True when the process has a key of its own.
    var hasKey: Bool { key != nil || KeyOptions.secret != nil }

    /// Refuses a variable that is set and empty: what was to fill it has failed, and without keys all would be open.
    static func requireFilled(_ variable: String) throws {
        guard ProcessInfo.processInfo.environment[variable]?.isEmpty ?? false else { return }
        throw ValidationError("\(variable) is set and empty: put the key in it, or unset it where none is wanted")
    }

    func validate() throws {
        if key == nil { try KeyOptions.requireFilled(KeyOptions.variable) }
        guard hasKey || serverKey.isEmpty else {
            throw ValidationError(
                "--server-key says whom to trust, and this process has to prove itself too: it needs --key")
        }
    }

    /// Refuses a command line that names no key for an endpoint, or a key for an endpoint that is not connected to.
    /// - Parameter endpoints: the endpoints that the process connects to.
    func check(connectingTo endpoints: [String]) throws {
        guard hasKey else { return }
        guard !endpoints.isEmpty || serverKey.isEmpty else {
            throw ValidationError("--server-key is about endpoints that this process connects to: there is none")
        }
        let trusted = serverKey.map { KeyOptions.split($0).endpoint }
        for (index, endpoint) in trusted.enumerated() where trusted[..<index].contains(endpoint) {
            throw ValidationError(
                "--server-key names two keys for \(endpoint ?? "all endpoints"), and a server has one: leave one out")
        }
        for case let endpoint? in trusted where !endpoints.contains(endpoint) {
            throw ValidationError("--server-key \(endpoint)=…: this process does not connect to \(endpoint)")
        }
        for endpoint in endpoints where !trusted.contains(nil) && !trusted.contains(endpoint) {
            throw ValidationError(
                "with a key the other side has to prove its own: name the public key of \(endpoint), --server-key")
        }
    }

    /// Reads the key files; nil when the process has no key.
    func security() throws -> Security? {
        guard hasKey else { return nil }
        var security = Security(keys: try ownKeys())
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

    /// Splits `tcp://host:port=file` into endpoint and path; any other option is a path.
    static func split(_ option: String) -> (endpoint: String?, path: String) {
        guard let scheme = option.range(of: "://"),
            let equals = option[scheme.upperBound...].firstIndex(of: "=")
        else { return (nil, option) }
        return (String(option[..<equals]), String(option[option.index(after: equals)...]))
    }
}
