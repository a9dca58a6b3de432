import ArgumentParser
import Foundation
import ModelcastGenerate

/// The tool that the build plugin GenerateModels runs. People use `modelcast generate`, which can do more.
@main
struct ModelcastGenerateTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ModelcastGenerateTool", abstract: "Writes Swift source for JSON Schemas into a folder.")

    @Option(help: ArgumentHelp("Where the files go.", valueName: "folder"))
    var output: String

    @Flag(help: "Take schemas as they are.")
    var lenient = false

    @Argument(help: "All schemas that refer to each other.")
    var schemas: [String]

    func run() throws {
        do {
            let run = GenerateRun(schemas: schemas, output: output, isLenient: lenient)
            _ = try run.run { FileHandle.standardError.write(Data("warning: \($0)\n".utf8)) }
        } catch let problems as SchemaProblems {
            // Build systems show messages of this form at the file.
            let lines = problems.problems.map { problem in
                let place = problem.pointer.isEmpty ? "" : " (#\(problem.pointer))"
                return
                    "\(problem.file):\(problem.line ?? 1):\(problem.column ?? 1): error: \(problem.message)\(place)\n"
            }
            FileHandle.standardError.write(Data(lines.joined().utf8))
            throw ExitCode.failure
        }
    }
}
