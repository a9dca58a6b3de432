/// One run of a command that generates: what both `modelcast generate` and the tool of the plugin do.
public struct GenerateRun: Sendable {
    /// The languages that there are.
    public enum Language: String, CaseIterable, Sendable { case swift }

    /// What came of it.
    public enum Outcome: Hashable, Sendable {
        /// Without a folder: the text of all files.
        case text(String)
        /// The names of the files that were written, because they were not so before.
        case written([String])
        /// One sentence for each file that is not as it should be.
        case checked([String])
    }

    private let schemas: [String]
    private let output: String?
    private let isCheck: Bool
    private let access: GeneratedAccess

    /// - Parameters:
    ///   - schemas: paths of files.
    ///   - output: the folder; nil for none.
    ///   - isCheck: compare only. Needs a folder.
    public init(schemas: [String], output: String?, isCheck: Bool = false, access: GeneratedAccess = .internal) {
        precondition(!isCheck || output != nil, "there is nothing to compare with")
        (self.schemas, self.output, self.isCheck, self.access) = (schemas, output, isCheck, access)
    }

    /// - Throws: ``SchemaProblems`` or ``OutputFailure``.
    public func run() throws -> Outcome {
        var files: [SchemaFile] = []
        var problems: [SchemaProblem] = []
        for path in schemas {
            do { files.append(try SchemaFile(readingFrom: path)) } catch { problems.append(error) }
        }
        // Others that refer to a file that cannot be read would be at fault, too.
        guard problems.isEmpty else { throw SchemaProblems(problems) }
        let generated = try Generator(access: access).generate(files)
        guard let output else { return .text(generated.map(\.text).joined(separator: "\n")) }
        let folder = OutputFolder(output)
        return isCheck ? .checked(folder.complaints(about: generated)) : .written(try folder.write(generated))
    }
}
