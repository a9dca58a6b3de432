import ArgumentParser
import Foundation
import ModelRecord
import Modelcast
import ModelcastConsole

/// `modelcast subscribe`: prints the changes of models.
struct Subscribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints every change of the models of one or more publishers.",
        discussion: """
            Connects, copies what there is, and from then on prints each change as one line of JSON:

              $ modelcast subscribe --connect tcp://127.0.0.1:7400 --type User
              {"type":"User","id":"1","changed":["age"],"old":{"age":36,"name":"Ada"},"new":{"age":37,"name":"Ada"},\
            "origin":"accounts","version":"1763714400000.0@accounts"}

            old and new are the model as JSON, and null where the model does not exist: what is there at the \
            start has the old null, a deleted model has the new null. version is the time of the write at its \
            origin: milliseconds since 1970, a dot, a counter, an at sign, the origin. "folded":true stands in a \
            line that tells several changes at once, because the reader of this output is slower than they come.

            Values without a JSON form: a timestamp is its seconds since 1970, a UUID and a URI are text, bytes are \
            {"$bytes": base64}, an item with another tag is {"$tag": number, "$cbor": base64}, and a double that is \
            no number is {"$double": "nan"}, "inf" or "-inf".

            The state as a file, to compare it with another one, and a fingerprint of it:

              $ modelcast subscribe --connect tcp://127.0.0.1:7400 --until-live --no-changes --models --digest

            A publisher that cannot be reached is tried again for ever, unless --timeout. SIGTERM, SIGINT and a \
            closed pipe end the command with exit code 0.
            """)

    @Option(
        help: ArgumentHelp(
            "The control endpoint of a publisher: tcp://host:port or ipc:///path. Repeat it for several.",
            valueName: "endpoint"))
    var connect: [String]

    @Option(
        help: ArgumentHelp("Only models of this type. Repeat it for several; default: all types.", valueName: "type"))
    var type: [String] = []

    @Option(help: ArgumentHelp("Only models with this id. Repeat it for several; default: all.", valueName: "id"))
    var id: [String] = []

    @Option(
        help: ArgumentHelp(
            "The name that publishers see. Default: subscribe- and the process's number.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Where this subscriber can be asked for what it holds, by verify, get and digest.", valueName: "endpoint"))
    var control: String?

    @Option(
        help: ArgumentHelp(
            "Keep the copy in this file: the next start has it at once and fetches what changed since. For this "
                + "subscriber alone.", valueName: "file"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "How much to keep: TYPE=COUNT,BYTES,IDLE, each of which may be empty, as User=100000,1GiB,1h; without "
                + "TYPE= of all types together. COUNT is of models, BYTES a number that may have KiB, MiB or GiB "
                + "behind it, IDLE one that may have s, m, h or d. What is too much leaves the copy, least used first, "
                + "without a line unless --evictions asks for one. Repeat it for several types.", valueName: "limit"))
    var limit: [CopyLimit] = []

    @Option(
        help: ArgumentHelp(
            "What to take by itself: all, or none, so that only models come that get --fetch asks for at --control, or "
                + "fetch=true at --http, and later changes of these; or, beside those, the ids of all models.",
            valueName: "all|ids|none"))
    var prefetch = SubscriberConfiguration.Prefetch.all

    @Flag(inversion: .prefixedNo, help: "Print changes.")
    var changes = true

    @Flag(help: "Print models that leave the copy for its --limit, too, with the reason evicted.")
    var evictions = false

    @Flag(help: "End once everything that the publishers have sent is here.")
    var untilLive = false

    @Flag(help: #"At the end print each model as {"type","id","model"}, by type and id."#)
    var models = false

    @Flag(help: "At the end print for each type TYPE COUNT DIGEST, of all its models; equal digests are equal copies.")
    var digest = false

    @Option(
        help: ArgumentHelp("How long it may take to reach all publishers; then exit code 1.", valueName: "seconds"))
    var timeout: Seconds?

    @OptionGroup var keys: ServingKeyOptions

    @OptionGroup var retention: RetentionOptions

    @OptionGroup var console: ConsoleOptions

    @OptionGroup var logs: LogOptions

    func validate() throws {
        guard !connect.isEmpty else { throw ValidationError("--connect is missing: the endpoint of a publisher") }
        var served: SenderEndpoints?
        do {
            for endpoint in connect { _ = try ControlClient(endpoint: endpoint) }
            served = try control.map { try Subscribe.served(at: $0) }
            for type in type { try Names.check(type: type) }
            for id in id { try Names.check(id: id) }
            if let name { try Names.check(origin: name) }
        } catch {
            throw ValidationError("\(error)")
        }
        let limits = try CopyLimit.joined(limit)
        guard store == nil || limits.all == nil else {
            throw ValidationError("--store keeps types without a limit, and --limit without a type leaves none")
        }
        guard prefetch == .all || control != nil || console.http != nil else {
            throw ValidationError(
                "--prefetch \(prefetch) takes no model unless somebody asks for it: add --control or --http")
        }
        guard store == nil || prefetch == .all else {
            throw ValidationError(
                "--store keeps models that come by themselves, and with --prefetch \(prefetch) none do")
        }
        guard !evictions || (changes && (!limit.isEmpty || prefetch != .all)) else {
            throw ValidationError(
                "--evictions prints what leaves the copy: add --limit, and leave --no-changes out")
        }
        try keys.check(connectingTo: connect, serving: served)
        guard changes || models || digest || control != nil || store != nil || console.http != nil else {
            throw ValidationError(
                "--no-changes leaves nothing to do: add --models or --digest, or --control, --http or --store for a "
                    + "copy that others ask or that is kept")
        }
    }

    /// The endpoints of a subscriber that can be asked. It has no stream, so that one is any of this host.
    private static func served(at control: String) throws -> SenderEndpoints {
        try SenderEndpoints(control: control, stream: "tcp://127.0.0.1:*")
    }

    func run() async throws {
        try StandardStreams.requireOutput()
        let logger = logs.makeLogger(leavingOut: Troubles.toldMessages)
        var configuration = SubscriberConfiguration(
            name: name ?? "subscribe-\(ProcessInfo.processInfo.processIdentifier)", publishers: connect)
        configuration.control = try control.map { try Subscribe.served(at: $0).control }
        configuration.security = try keys.security()
        configuration.store = store
        configuration.modelLimits = try CopyLimit.joined(limit)
        configuration.prefetch = prefetch
        configuration.tombstoneRetention = retention.tombstoneRetention.duration
        if !type.isEmpty { configuration.selection = .types(type) }
        let metrics = console.begin()
        let subscriber = try Subscriber(configuration, logger: logger)
        let plan = SubscribePlan(
            ids: id.isEmpty ? nil : Set(id.map(ExactText.init)), printsChanges: changes, printsEvictions: evictions,
            endsWhenLive: untilLive, printsModels: models, printsDigest: digest, timeout: timeout?.duration)
        let more =
            try keys.services(of: configuration.security, logger: logger)
            + console.services(
                of: .subscriber(subscriber), metrics, hasKeys: configuration.security != nil, logger: logger)
        try await runUntilDone(
            more + [subscriber, SubscribePrinter(subscriber: subscriber, plan: plan)], logger: logger)
    }
}
