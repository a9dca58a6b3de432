import ArgumentParser
import ModelJSON
import Modelcast

/// `modelcast verify`: compares what two processes hold.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares what two processes hold: publishers, relays, subscribers with a control endpoint.",
        discussion: """
            Waits until both have applied the same, compares digests, and names what differs:

              $ modelcast verify --connect tcp://127.0.0.1:7400 --against tcp://127.0.0.1:7500
              User equal 9a3c51e07d24f8b6

            A difference is one line with tabs: TYPE, different, ID, FIELD, what --connect has and what --against \
            has, each as JSON with its version; - for what is not there. Control characters in ID and FIELD are \
            escaped. FIELD is *model where one side has the model and the other has not, and *touched \
            or *floor where only the version of the last write, or of the last \
            replace or delete, differs.

            Of a subscriber with --limit, or with --prefetch none or ids, what it holds is compared: "User equal in \
            300 models, 700 are not in the copy".

            Digests know versions, not values: with --values all models are fetched from both, and their values \
            compared. That costs the transfer of everything, twice.

            Types that both have are compared by what their greetings tell, thousands at once; where these do not \
            suffice, each type is asked for, 64 a second after the first 256. No comparison of a type begins when \
            --patience is over: the last line then tells which types were not compared.

            Exit codes: 0 all equal, 1 something differs, was not compared, or both never stood at the same point.
            """)

    @OptionGroup var question: QuestionOptions

    @Option(help: ArgumentHelp("The control endpoint of the other holder.", valueName: "endpoint"))
    var against: String

    @Option(
        help: ArgumentHelp(
            "How long to wait until both have applied the same, and to compare, for all types together.",
            valueName: "seconds"))
    var patience = Seconds.ten

    @Flag(help: "Compare values too: fetches everything from both.")
    var values = false

    func validate() throws {
        do {
            _ = try ControlClient(endpoint: against)
        } catch {
            throw ValidationError("\(error)")
        }
        try question.checkKeys(beside: against)
    }

    func run() async throws {
        let client = try await question.client()
        let other = try await question.client(at: against)
        let verifications = try await client.verify(
            against: other, patience: patience.duration, comparingValues: values)
        var writer = JSONWriter()
        for verification in verifications { write(verification, to: &writer) }
        try question.print(writer.bytes)
        if verifications.isEmpty { StandardError.write(line: "neither holds any model") }
        tellUncompared(verifications)
        guard verifications.allSatisfy(\.isEqual) else { throw ExitCode.failure }
    }

    /// Tells in one line which types there was no time for.
    private func tellUncompared(_ verifications: [Verification]) {
        let types = verifications.filter { if case .uncompared = $0.verdict { true } else { false } }.map(\.type)
        guard !types.isEmpty else { return }
        let named = types.prefix(Verify.namedTypeCount).joined(separator: ", ")
        let more = types.count > Verify.namedTypeCount ? ", …" : ""
        StandardError.write(
            line: "\(types.count) of \(verifications.count) types were not compared within \(patience.duration) "
                + "(\(named)\(more)): allow more time with --patience")
    }

    /// How many types are named that were not compared.
    private static let namedTypeCount = 16

    private func write(_ verification: Verification, to writer: inout JSONWriter) {
        switch verification.verdict {
        case .uncompared: break
        case .equal(let digest):
            writer.append(digestLine("\(verification.type) equal", count: nil, digest: digest) + "\n")
        case .equalWhereHeld(let models, let evicted):
            writer.append("\(verification.type) equal in \(models) models, \(evicted) are not in the copy\n")
        case .apart(let left, let right):
            StandardError.write(
                line: "\(verification.type): \(question.connect) has applied \(left), \(against) \(right); "
                    + "compare holders of the same publishers, or allow more time with --patience")
        case .different(let differences):
            for difference in differences {
                writer.append("\(verification.type)\tdifferent\t\(difference.id.shown())\t")
                writer.append("\(name(of: difference.subject).shown())\t")
                write(difference.left, to: &writer)
                writer.append("\t")
                write(difference.right, to: &writer)
                writer.append("\n")
            }
        }
    }

    private func name(of subject: Verification.Subject) -> String {
        switch subject {
        case .model: "*model"
        case .touched: "*touched"
        case .floor: "*floor"
        case .field(let name): name
        }
    }

    private func write(_ holding: Verification.Holding, to writer: inout JSONWriter) {
        switch holding {
        case .nothing: writer.append("-")
        case .model(let version): writer.append(version.map { "model@\($0)" } ?? "model")
        case .version(let version): writer.append("@\(version)")
        case .cell(let cell):
            writer.write(cell.value)
            writer.append("@\(cell.version)")
        }
    }
}
