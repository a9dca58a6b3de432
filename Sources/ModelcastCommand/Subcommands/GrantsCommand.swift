import ArgumentParser
import Modelcast

/// `modelcast grants`: looks at a file of grants.
struct GrantsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants",
        abstract: "Looks at a file of grants, which says who may do what.",
        discussion: """
            A line of such a file has the public key of a process, its name, and what it may do:

              grant KEY billing   subscribe:User subscribe:Order.*
              grant KEY accounts  publish:User origin=accounts
              grant KEY relay-a   relay subscribe:*
              grant KEY ops       operate

            Whatever is not granted is denied. Every process takes the same file with --grants, and reads it again at
            SIGHUP.
            """,
        subcommands: [Check.self, Explain.self])

    /// `modelcast grants check FILE`
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a file of grants: mistakes with line and column, and what may be one.")

        @Argument(help: "The file of grants.")
        var file: String

        func run() throws {
            let grants: Grants
            do { grants = try GrantsFile.read(file) } catch {
                // A line for each place.
                let lines = "\(error)".split(separator: "\n")
                for line in lines.dropLast() { StandardError.write(line: String(line)) }
                throw CommandFailure(lines.last.map { String($0) } ?? "\(error)")
            }
            for warning in grants.warnings { StandardError.write(line: "\(file):\(warning)") }
            try GrantsCommand.print(["\(file): \(grants.all.count) keys"])
        }
    }

    /// `modelcast grants explain FILE PEER [TYPE]`
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says in words what a key or a name may do, with everything or with one type.")

        @Argument(help: "The file of grants.")
        var file: String

        @Argument(help: ArgumentHelp("A key or a name of the file.", valueName: "key|name"))
        var peer: String

        @Argument(help: "A type.")
        var type: String?

        func run() throws {
            let grants = try GrantsFile.read(file)
            guard let lines = grants.explanation(of: peer, type: type) else {
                throw CommandFailure("\(file) grants nothing to \(peer.shown()): it is refused")
            }
            try GrantsCommand.print(lines)
        }
    }

    private static func print(_ lines: [String]) throws {
        let text = lines.map { $0 + "\n" }.joined()
        if let failure = StandardOutput().write(Array(text.utf8), isEnding: { false }).failure { throw failure }
    }
}
