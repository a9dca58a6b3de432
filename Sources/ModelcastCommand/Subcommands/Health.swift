import ArgumentParser
import Modelcast

/// `modelcast health`: says whether a process answers, and whether what it holds is fresh.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says whether a process answers, and whether what it holds is fresh.",
        discussion: """
            For probes that run a command, and for processes without --http: asks at the control endpoint, and prints \
            one line for each thing that has to hold.

              $ modelcast health --connect tcp://127.0.0.1:7410
              [+] hub answers
              [+] hub has its models
              [+] hub hears accounts: 0.3 s ago

            A relay, or a subscriber with --control, tells how long ago it has heard of each origin; what jobs have \
            pushed is not waited for. A publisher tells of nobody else.

            Exit codes: 0 all holds, 1 something does not, or nobody answers, 64 the command line is wrong.
            """)

    @OptionGroup var question: QuestionOptions

    @Option(
        help: ArgumentHelp("For how long nothing may have been heard of an origin.", valueName: "seconds"))
    var staleAfter = Seconds.fifteen

    func validate() throws { try question.checkKeys() }

    func run() async throws {
        let client = try await question.client()
        let welcome = try await client.welcome()
        let name = welcome.name
        var checks = ["[+] \(name) answers"]
        do {
            _ = try await client.digestsByType()
            checks.append("[+] \(name) has its models")
        } catch let error as ModelcastError {
            checks.append("[-] \(name) has its models: \(error.message)")
        }
        // A publisher tells of itself, also where it has nothing.
        if welcome.heads.allSatisfy({ $0.origin == name && $0.isRelayed }) {
            checks.append("[-] \(name) hears of an origin: of none yet")
        }
        for heads in welcome.heads where heads.isRelayed && !heads.isPushed && heads.origin != name {
            // A relay that tells no age is of an earlier version.
            guard let age = heads.ageMilliseconds else { continue }
            let isFresh = Duration.milliseconds(Int64(clamping: age)) <= staleAfter.duration
            let seconds = Double(age / 100) / 10
            checks.append("\(isFresh ? "[+]" : "[-]") \(name) hears \(heads.origin): \(seconds) s ago")
        }
        try question.print(checks.flatMap { Array(($0 + "\n").utf8) })
        if checks.contains(where: { $0.hasPrefix("[-]") }) { throw ExitCode.failure }
    }
}
