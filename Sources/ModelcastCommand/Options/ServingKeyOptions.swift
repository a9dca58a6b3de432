import ArgumentParser
import Logging
import Modelcast
import ServiceLifecycle

/// The keys of a process that may serve: its own, those of the servers that it trusts, and those of the clients that
/// may connect to it.
struct ServingKeyOptions: ParsableArguments {
    @OptionGroup var own: KeyOptions

    @Option(
        help: ArgumentHelp(
            "The public keys of the clients that may connect to this process, and do everything. Repeat it for several "
                + "files.",
            valueName: "file"))
    var clientKeys: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file that says which key may do what (modelcast help grants): those of clients, in place of "
                + "--client-keys, and those of servers. Read again at SIGHUP.",
            valueName: "file"))
    var grants: String?

    func validate() throws {
        guard own.hasKey || clientKeys.isEmpty else {
            throw ValidationError(
                "--client-keys says whom to trust, and this process has to prove itself too: it needs --key")
        }
        guard own.hasKey || grants == nil else {
            throw ValidationError("--grants says what keys may do, and this process has to have one: it needs --key")
        }
        guard grants == nil || clientKeys.isEmpty else {
            throw ValidationError("--grants takes the place of --client-keys: name those keys in the file of grants")
        }
    }

    /// Refuses a command line that leaves out a key to trust, or serves other machines without keys.
    /// - Parameters:
    ///   - endpoints: the endpoints that the process connects to.
    ///   - served: the endpoints at which the process serves; nil when it does not.
    ///   - isTold: whether the process takes over what those tell that it connects to.
    ///   - reach: whether other machines may connect without keys; nil where they never may.
    func check(
        connectingTo endpoints: [String], serving served: SenderEndpoints?, isTold: Bool = true,
        _ reach: InsecureOption? = nil
    ) throws {
        try own.check(connectingTo: endpoints)
        guard served != nil || clientKeys.isEmpty else {
            throw ValidationError("--client-keys is about who connects to this process: nothing is served here")
        }
        guard served != nil || isTold || grants == nil else {
            throw ValidationError(
                "leave --grants out: it is about who connects to this process, and what those may say that it listens "
                    + "to; nothing is served here, and nobody is listened to")
        }
        guard let served else { return }
        guard !own.hasKey || !clientKeys.isEmpty || grants != nil else {
            throw ValidationError(
                "with a key only known clients come in: name their public keys and what each may do, --grants (or only "
                    + "the keys, --client-keys)")
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
        if let grants { security?.access = Access(try GrantsFile.read(grants), audit: LogLevel.makeAuditLog()) }
        return security
    }

    /// The services that a process needs beside its own: one that reads the grants again, where there are any.
    func services(of security: Security?, logger: Logger) -> [any Service] {
        guard let grants, let access = security?.access else { return [] }
        GrantsReload.tell(access.grants, grants, logger)
        return [GrantsReload(path: grants, access: access, logger: logger)]
    }
}
