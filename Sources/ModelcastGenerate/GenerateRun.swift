/// One run of a command that generates source, as `modelcast generate` and the tool of the build plugin both do.
public struct GenerateRun: Sendable {
    /// The languages of generated source.
    public enum Language: String, CaseIterable, Sendable { case swift }

    /// The result of a run.
    public enum RunResult: Hashable, Sendable {
        /// Without a folder: the text of all files.
        case text(String)
        /// The names of the files that were written, because they differed or were not there.
        case written([String])
        /// One sentence for each file that differs from what would be generated; empty when none does.
        case checked([String])
    }

    private let schemas: [String]
    private let output: String?
    private let isCheck: Bool
    private let generator: Generator

    /// - Parameters:
    ///   - schemas: the paths of the schemas.
    ///   - output: the folder for the generated files; nil for their text alone.
    ///   - isCheck: compares with the files in the folder, and writes nothing. It needs `output`.
    ///   - access: how far the generated types can be seen, where a schema does not say it.
    ///   - isLenient: takes schemas as they are; see ``Generator/init(access:isLenient:)``.
    public init(
        schemas: [String], output: String?, isCheck: Bool = false, access: GeneratedAccess = .internal,
        isLenient: Bool = false
    ) {
        precondition(!isCheck || output != nil, "there is nothing to compare with")
        (self.schemas, self.output, self.isCheck) = (schemas, output, isCheck)
        generator = Generator(access: access, isLenient: isLenient)
    }

    /// Reads the schemas, and generates, writes or compares.
    /// - Parameter warn: told of everything that a lenient run has left out or taken as any value.
    /// - Throws: ``SchemaProblems`` or ``OutputFailure``.
    public func run(warn: (SchemaProblem) -> Void = { _ in }) throws -> RunResult {
        var files: [SchemaFile] = []
        var problems: [SchemaProblem] = []
        for path in schemas {
            do { files.append(try SchemaFile(readingFrom: path)) } catch { problems.append(error) }
        }
        // Schemas that refer to an unreadable file would be reported as well, though they are not at fault.
        guard problems.isEmpty else { throw SchemaProblems(problems) }
        let generated = try generator.generate(files, warn: warn)
        guard let output else { return .text(generated.map(\.text).joined(separator: "\n")) }
        let folder = OutputFolder(output)
        return isCheck ? .checked(folder.complaints(about: generated)) : .written(try folder.write(generated))
    }
}
