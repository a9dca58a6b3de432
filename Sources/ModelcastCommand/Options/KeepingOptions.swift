import ArgumentParser
import Modelcast

/// How `modelcast publish` keeps its models over a restart.
struct KeepingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep the models in this file; a restart goes on with them. For this publisher alone.", valueName: "file"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "What --store promises. none: a crash may lose the last second, which the next run takes back from relays. "
                + "before-send: nothing leaves that is not on disk. before-acknowledge: a file counts as done once it "
                + "is on disk.",
            valueName: "none|before-send|before-acknowledge"))
    var durability = KeptDurability.none

    @Option(
        help: ArgumentHelp(
            "Take the models of an earlier start back from this relay, its control endpoint. Repeat it for several: "
                + "one must answer. With --store only where the file is new, or was set aside as damaged.",
            valueName: "endpoint"))
    var recoverFrom: [String] = []

    func validate() throws {
        guard store != nil || durability == .none else {
            throw ValidationError("--durability is what a file promises: it needs --store")
        }
    }

    /// How long a relay may take to answer without --timeout.
    static let recoveryLimit = Duration.seconds(30)
}

/// The promise of a store, as a word on the command line.
enum KeptDurability: String, CaseIterable, ExpressibleByArgument {
    case none
    case beforeSend = "before-send"
    case beforeAcknowledge = "before-acknowledge"

    var durability: Durability {
        switch self {
        case .none: .none
        case .beforeSend: .beforeSend
        case .beforeAcknowledge: .beforeAcknowledge
        }
    }
}
