import ArgumentParser
import ModelRecord
import Modelcast
import ModelcastConsole
import ServiceLifecycle

/// `modelcast publish`: publishes models from lines of JSON.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publishes models from lines of JSON.",
        discussion: """
            Reads one JSON object a line, each a model, and sends what differs from what it sent before.

              $ modelcast publish --name accounts --bind tcp://127.0.0.1:7400 --type User --id-field id users.ndjson

            {"id": "1", "name": "Ada", "address": {"city": "London"}} is the User with the id 1 and the fields name \
            and address.city. An empty object and an array are values. A line says nothing of fields that it does \
            not have; null empties a field. A number without point and exponent is an integer of 64 bits.

            With --whole a file is the full data set: fields that a line does not have become unknown, and models \
            without a line are deleted when the file ends. Several files are one state after the other, each \
            published when all live subscribers have reported the one before as applied. They report once a second, so \
            a file takes about a second while anybody listens. --delete-at-most 10% is for inputs that may be cut \
            short: where more would be deleted, nothing is.

            A line that cannot be taken is told on standard error as FILE:LINE: reason, and the rest goes on.

            On standard error stands first where the publisher serves, in one line: \
            control tcp://127.0.0.1:7400 stream tcp://127.0.0.1:7401. Subscribers connect to the first. The last \
            line for each file counts its lines.

            A short-lived job pushes to relays instead of serving, and ends with exit code 0 once they have \
            acknowledged everything:

              $ modelcast publish --name job-7 --push tcp://127.0.0.1:7500 --type User --id-field id users.ndjson

            With --store the models are kept in a file: a restart goes on with them and sends what differs. \
            --durability says what the file promises. Without a file, or where it is new or was damaged, \
            --recover-from takes them back from a relay, so that --whole deletes what is gone:

              $ modelcast publish --name accounts --bind tcp://127.0.0.1:7400 --type User --id-field id --whole \
            --store accounts.store --durability before-send users.ndjson

            When the input has ended the publisher goes on serving until SIGTERM or SIGINT, unless --until-applied.
            """)

    @Option(help: ArgumentHelp("The name of this publisher, unique among all; A-Z a-z 0-9 _ . -", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp(
            "Where it serves: tcp://host:port, port * for any free one, or ipc:///path. May be left out with --push.",
            valueName: "endpoint"))
    var bind: String?

    @Option(
        help: ArgumentHelp(
            "Where batches are sent. Default: the next port, any free one for *, or the path with -stream behind it.",
            valueName: "endpoint"))
    var stream: String?

    @Option(
        help: ArgumentHelp(
            "Push every batch to this relay, its control endpoint. Repeat it for several.", valueName: "endpoint"))
    var push: [String] = []

    @Option(
        help: ArgumentHelp(
            "Pushed batches count as delivered when any relay, as by default, or every relay has acknowledged them.",
            valueName: "any|every"))
    var acknowledgedBy: AcknowledgementArgument?

    @OptionGroup var keeping: KeepingOptions

    @OptionGroup var replay: ReplayOptions
    @OptionGroup var answers: AnswersOption

    @OptionGroup var models: ModelOptions

    @Argument(help: ArgumentHelp("Files to read; - or none is standard input.", valueName: "file"))
    var files: [String] = []

    @Flag(help: "Each file is the full data set: what is gone from it is deleted.")
    var whole = false

    @Option(
        help: ArgumentHelp(
            "With --whole: delete nothing, and end with exit code 1, when more would go: a number, or a part of the "
                + "models that are there. Default: any number, but nothing for an input that names no model or breaks "
                + "off in its last line.",
            valueName: "count|percent%"))
    var deleteAtMost: DeleteLimit?

    @Option(
        help: ArgumentHelp(
            "How long each model lives after its last line; then this publisher deletes it, also after a restart with "
                + "--store. A line of its own may say it as \"$expires\", in milliseconds since 1970.",
            valueName: "seconds|5m|1h"))
    var ttl: Lifetime?

    @Option(
        help: ArgumentHelp(
            "Each model is there as long as this process: for how long the process may not be heard of, at least two "
                + "heartbeats. A line of its own may say it as \"$leaseMs\", in milliseconds.",
            valueName: "seconds|5m|1h"))
    var lease: Lifetime?

    @Flag(help: "Read on at the end of the file, as lines are appended.")
    var follow = false

    @Flag(help: "Stop at the first line that cannot be taken, with exit code 1.")
    var strict = false

    @Option(help: ArgumentHelp("Publish only once so many subscribers are live.", valueName: "count"))
    var waitFor: Int = 0

    @Flag(
        help: ArgumentHelp(
            "End once every subscriber has reported everything as applied, and as many as --wait-for says. Who is "
                + "silent for 4 seconds is no subscriber any more."))
    var untilApplied = false

    @Option(
        help: ArgumentHelp(
            "How long each wait for subscribers or relays may take; then exit code 1.", valueName: "seconds"))
    var timeout: Seconds?

    @OptionGroup var reach: InsecureOption

    @OptionGroup var keys: ServingKeyOptions

    @Option(
        help: ArgumentHelp(
            "The key with which everything is signed, a file of modelcast keygen --signing: those who get it from "
                + "relays can tell that it is from here. Default: the key in \(Publish.signingKeyVariable).",
            valueName: "file"))
    var signingKey: String?

    /// The environment variable that may hold the signing key itself, where a file is inconvenient.
    static let signingKeyVariable = "MODELCAST_SIGNING_KEY"

    @OptionGroup var ports: StreamPortsOption

    @OptionGroup var retention: RetentionOptions

    @OptionGroup var console: ConsoleOptions

    @OptionGroup var logs: LogOptions

    /// The files to read; standard input where none is named.
    private var inputs: [String] { files.isEmpty ? ["-"] : files }

    func validate() throws {
        var served: SenderEndpoints?
        do {
            try Names.check(origin: name)
            served = try bind.map { try SenderEndpoints(control: $0, stream: stream) }
            for relay in push + keeping.recoverFrom { _ = try ControlClient(endpoint: relay) }
        } catch {
            throw ValidationError("\(error)")
        }
        guard bind != nil || !push.isEmpty else {
            throw ValidationError("--bind is missing: where to serve; or --push, the relays to push to")
        }
        guard Set(push).count == push.count else {
            throw ValidationError("--push names a relay twice: two copies at one place are one copy")
        }
        guard acknowledgedBy == nil || !push.isEmpty else {
            throw ValidationError("--acknowledged-by is about relays that are pushed to: it needs --push")
        }
        guard bind != nil || stream == nil else {
            throw ValidationError("--stream says where batches are sent by a publisher that serves: it needs --bind")
        }
        guard bind != nil || (waitFor == 0 && !untilApplied) else {
            throw ValidationError(
                "--wait-for and --until-applied are about subscribers of this publisher: they need --bind")
        }
        try keys.check(
            connectingTo: push + keeping.recoverFrom, serving: served,
            isTold: !keeping.recoverFrom.isEmpty, reach)
        if signingKey == nil { try KeyOptions.requireFilled(Publish.signingKeyVariable) }
        guard signingKey == nil || keys.own.hasKey else {
            throw ValidationError("--signing-key signs what a process with a key says: it needs --key")
        }
        try ports.check(keys, serving: served)
        guard waitFor >= 0 else { throw ValidationError("--wait-for is a count: 0 or more") }
        guard whole || deleteAtMost == nil else {
            throw ValidationError("--delete-at-most bounds what --whole deletes: it needs --whole")
        }
        guard ttl == nil || bind != nil || follow else {
            throw ValidationError(
                "--ttl is kept by a publisher that stays: it needs --bind, or --follow, as this job ends before its "
                    + "models")
        }
        guard lease == nil || bind != nil else {
            throw ValidationError(
                "--lease needs --bind: a process that only pushes is not listened to, so nobody would know when "
                    + "it is gone")
        }
        guard lease == nil || ttl == nil else {
            throw ValidationError("--ttl and --lease both say when a model ends: choose one")
        }
        if follow {
            guard !whole else {
                throw ValidationError("--whole needs an end of the input, and --follow has none: leave one out")
            }
            guard !untilApplied else {
                throw ValidationError("--follow goes on for ever and --until-applied ends: leave one out")
            }
            guard inputs.count == 1 else { throw ValidationError("--follow reads one file, not \(inputs.count)") }
        }
        guard inputs.count(where: { $0 == "-" }) <= 1 else { throw ValidationError("standard input is named twice") }
        let isWaiting = waitFor > 0 || untilApplied || (whole && inputs.count > 1) || !push.isEmpty
        guard timeout == nil || isWaiting || !keeping.recoverFrom.isEmpty else {
            throw ValidationError(
                "--timeout bounds waiting for subscribers or relays: it needs --wait-for, --until-applied, --push or "
                    + "--recover-from")
        }
    }

    private func readSigningKey() throws -> SigningKey? {
        if let signingKey { return try KeyFile.signingKey(at: signingKey) }
        let variable = Publish.signingKeyVariable
        guard let text = KeyOptions.secret(in: variable) else { return nil }
        guard keys.own.hasKey else {
            throw CommandFailure("\(variable) signs what a process with a key says: it needs --key")
        }
        return try KeyFile.signingKey(z85: text, called: variable)
    }

    func run() async throws {
        for file in inputs { try InputFile.check(file) }
        let model = try models.inputModel()
        let logger = logs.makeLogger()
        var configuration = PublisherConfiguration(
            name: name, pushingTo: push, acknowledgement: (acknowledgedBy ?? .any).acknowledgement)
        configuration.endpoints = try bind.map { try SenderEndpoints(control: $0, stream: stream) }
        configuration.allowsRemote = reach.insecure
        configuration.security = try keys.security()
        configuration.security?.signingKey = try readSigningKey()
        configuration.security?.streamPorts = ports.streamPorts?.ports
        configuration.store = keeping.store
        configuration.tombstoneRetention = retention.tombstoneRetention.duration
        configuration.durability = keeping.durability.durability
        configuration.replayByteCount = replay.replayByteCount
        configuration.answersByteCount = answers.byteCount
        configuration.replayAge = replay.replayAge.duration
        let metrics = console.begin()
        let publisher = try Publisher(configuration, logger: logger)
        let expires = ttl.map { Expiry.after($0.duration) } ?? lease.map { .leased($0.duration) } ?? .unchanged
        try await recover(publisher)
        let feed = PublishFeed(
            publisher: publisher,
            plan: PublishPlan(
                type: model.type, idField: model.idField, idType: model.idType, forms: model.forms, inputs: inputs,
                isWhole: whole, deleteLimit: deleteAtMost,
                isFollowed: follow, isStrict: strict, subscriberCountMin: waitFor, endsWhenApplied: untilApplied,
                timeout: timeout?.duration, expires: expires))
        let more =
            try keys.services(of: configuration.security, logger: logger)
            + console.services(
                of: .publisher(publisher), metrics, hasKeys: configuration.security != nil, logger: logger)
        try await runUntilDone(more + [publisher, feed], logger: logger)
    }
}

extension Publish {
    /// Takes models back from relays that an earlier run has published and the store may lack.
    private func recover(_ publisher: Publisher) async throws {
        if !keeping.recoverFrom.isEmpty, publisher.startsAnew || publisher.mayLackWrites {
            let limit = timeout?.duration ?? KeepingOptions.recoveryLimit
            try await publisher.recover(from: keeping.recoverFrom, timeout: limit)
        }
        guard publisher.mayLackWrites, !push.isEmpty else { return }
        // Each relay that the job pushes to may hold other writes of the run that was killed.
        do {
            try await publisher.recover(from: push, timeout: timeout?.duration ?? .seconds(10))
        } catch let error as ModelcastError {
            throw Publish.withoutTakingBack("none could be asked: \(error)")
        }
        if publisher.mayLackWrites, acknowledgedBy == .every {
            throw Publish.withoutTakingBack("not every relay could be asked, see above")
        }
    }

    private static func withoutTakingBack(_ reason: String) -> CommandFailure {
        CommandFailure(
            "relays may hold later writes than the store, as a run before was killed, or the file is damaged or an "
                + "older copy; \(reason); run this again when they can be reached")
    }
}

/// How many relays have to acknowledge what is pushed, as a word on the command line.
enum AcknowledgementArgument: String, CaseIterable, ExpressibleByArgument {
    case any
    case every

    var acknowledgement: PusherConfiguration.Acknowledgement { self == .any ? .any : .every }
}
