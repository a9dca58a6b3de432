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

            A type or a name may end in * for all that begin so. Limits bound one key at each process, all its
            connections together:

              grant KEY nightly   publish:Report origin=nightly-* ids=100000 bytes=256M rate=1000
              grant KEY dash      subscribe:* connections=4 requests=50 underway=8M

            and streams=16 the types, times names, that it pushes. Whatever is not granted is denied; several lines with
            one key add up. What has to be signed, and with which keys (modelcast keygen --signing):

              grant KEY accounts  publish:User origin=accounts sign=SIGNING-KEY
              require-signature:User

            Every process takes the same file with --grants, and reads it again at SIGHUP.
            """,
        subcommands: [Check.self, Explain.self])

    /// `modelcast grants check FILE`
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a file of grants: mistakes with line and column, and what may be one.")

        @Argument(help: "The file of grants.")
        var file: String

        func run() throws {
            let text = try GrantsFile.text(file)
            do throws(GrantsError) { _ = try Grants(parsing: text, file: file) } catch {
                // A line for each place.
                for problem in error.problems.dropLast() { StandardError.write(line: "\(file):\(problem)") }
                throw CommandFailure(error.problems.last.map { "\(file):\($0)" } ?? "\(error)")
            }
            let grants = try GrantsFile.read(file)
            for warning in grants.warnings { StandardError.write(line: "\(file):\(warning)") }
            let count = grants.all.count
            var types: [String] = []
            for type in grants.signedTypes.map(\.description) where !types.contains(type) { types.append(type) }
            let signed = types.joined(separator: ", ")
            try GrantsCommand.print([
                "\(file): \(count) \(count == 1 ? "key" : "keys")" + (signed.isEmpty ? "" : "; signed: \(signed)")
            ])
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
