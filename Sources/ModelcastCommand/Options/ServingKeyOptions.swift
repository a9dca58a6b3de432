import ArgumentParser
import Modelcast

/// The keys of a process that may serve: its own, those of the servers that it trusts, and those of the clients that
/// may connect to it.
struct ServingKeyOptions: ParsableArguments {
    @OptionGroup var own: KeyOptions

    @Option(
        help: ArgumentHelp(
            "The public keys of the clients that may connect to this process. Repeat it for several files.",
            valueName: "file"))
    var clientKeys: [String] = []

    func validate() throws {
        guard own.hasKey || clientKeys.isEmpty else {
            throw ValidationError(
                "--client-keys says whom to trust, and this process has to prove itself too: it needs --key")
        }
    }

    /// Refuses a command line that leaves out a key to trust, or serves other machines without keys.
    /// - Parameters:
    ///   - endpoints: the endpoints that the process connects to.
    ///   - served: the endpoints at which the process serves; nil when it does not.
    ///   - reach: whether other machines may connect without keys; nil where they never may.
    func check(
        connectingTo endpoints: [String], serving served: SenderEndpoints?, _ reach: InsecureOption? = nil
    ) throws {
        try own.check(connectingTo: endpoints)
        guard served != nil || clientKeys.isEmpty else {
            throw ValidationError("--client-keys is about who connects to this process: nothing is served here")
        }
        guard let served else { return }
        guard !own.hasKey || !clientKeys.isEmpty else {
            throw ValidationError("with a key only known clients come in: name their public keys, --client-keys")
        }
        guard !own.hasKey, !(reach?.insecure ?? false), let reached = served.reachedByOthers else { return }
        throw ValidationError(
            "\(reached) can be reached from other machines and nothing protects it; bind 127.0.0.1 or ipc, give it "
                + "keys (--key)" + (reach == nil ? "" : ", or allow it with --insecure where the network is trusted"))
    }

    /// Reads the key files; nil when the process has no key.
    func security() throws -> Security? {
        var security = try own.security()
        for path in clientKeys { security?.clients.formUnion(try KeyFile.publicKeys(at: path)) }
        return security
    }
}
