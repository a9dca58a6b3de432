public import ArgumentParser
public import ModelcastGenerate

/// `modelcast generate`: writes Swift source for JSON Schemas.
struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes Swift source with @Model types for JSON Schemas.",
        discussion: """
            A file whose root is an object with an id is a model; other objects are nested structs, or one value \
            each where they stand in arrays and maps, and oneOf is an enum with payloads. Schemas that refer to each \
            other are named together.

              $ modelcast generate --output Sources/Models schemas/*.schema.json

            user.schema.json becomes user.schema.swift. Equal schemas make equal files, so --check tells whether what \
            is kept in a repository is up to date. Without --output the source goes to standard output.

            With --lenient schemas are taken as they are: what has no form in Swift is left out, or is any value, \
            with a warning for each.

            Exit codes: 0 done, 1 a schema has no form in Swift, a file cannot be read or written, or --check has \
            found a difference, 64 the command line is wrong. Each problem is one line on standard error: \
            FILE:LINE:COLUMN: what is wrong, and what to do.
            """)

    @Option(help: "The language of the source.")
    var language = GenerateRun.Language.swift

    @Option(help: ArgumentHelp("Where the files go; only those that change are written.", valueName: "folder"))
    var output: String?

    @Flag(help: "Compare with the files in the folder, and write nothing.")
    var check = false

    @Flag(help: "Take schemas as they are: warn of what has no form in Swift, and go on.")
    var lenient = false

    @Option(help: "How far the types can be seen, where a schema does not say it.")
    var access = GeneratedAccess.internal

    @Argument(help: ArgumentHelp("JSON Schemas.", valueName: "schema"))
    var schemas: [String]

    func validate() throws {
        if check, output == nil {
            throw ValidationError("--check compares with the files in --output: name the folder")
        }
    }

    func run() throws {
        let run = GenerateRun(schemas: schemas, output: output, isCheck: check, access: access, isLenient: lenient)
        switch try result(of: run) {
        case .text(let text):
            if let failure = StandardOutput().write(Array(text.utf8), isEnding: { false }).failure { throw failure }
        case .written(let names):
            for name in names { StandardError.write(line: "wrote \(name)") }
        case .checked(let complaints):
            for complaint in complaints { StandardError.write(line: complaint) }
            if !complaints.isEmpty { throw ExitCode.failure }
        }
    }

    private func result(of run: GenerateRun) throws -> GenerateRun.RunResult {
        do {
            return try run.run { StandardError.write(line: "warning: \($0)") }
        } catch let problems as SchemaProblems {
            for problem in problems.problems { StandardError.write(line: "\(problem)") }
            throw ExitCode.failure
        }
    }
}

extension GenerateRun.Language: ExpressibleByArgument {}

extension GeneratedAccess: ExpressibleByArgument {}
