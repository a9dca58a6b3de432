/// Makes Swift source of JSON Schemas: types with `@Model`, `@Nested` and `@OneOf`.
///
/// ```swift
/// let files = try Generator(access: .public).generate([SchemaFile(readingFrom: "user.schema.json")])
/// ```
/// A file whose root is an object with an `id` is a model. All files that refer to each other are read in one run. The
/// source depends on the text and the names of the files alone, not on their folder or order.
///
/// | JSON Schema (2020-12) | Swift |
/// |---|---|
/// | `string`, `boolean`, `integer`, `number` | `String`, `Bool`, `Int`, `Double` |
/// | `format`: `int32`, `int64`; `float`, `double` | `Int32`, `Int64`; `Float`, `Double` |
/// | `format: date-time` | `Date`, with `convert: .iso8601` |
/// | `format: uri`, `format: uuid` | `URL` and `UUID`, as text on the wire |
/// | `format: byte`, `contentEncoding: base64` | `Data`: bytes on the wire, base64 in the JSON of Foundation |
/// | any other format | no effect: an annotation, as in JSON Schema |
/// | `array`; `object` with `additionalProperties` only | `[T]`; `[String: T]` |
/// | `{}` or `true`; items or values that say nothing | `Value` |
/// | `enum` of texts; `oneOf` of `const` texts | an enum with raw values |
/// | `const` | a value that is always there and checked |
/// | `object` with `properties` | `@Nested struct`; with an id, at the root of a file, `@Model struct` |
/// | such an object within an array or a dictionary, also in itself | `@FieldValue struct` |
/// | `oneOf` of other things | `@OneOf enum`; the `const` property that tells objects apart is its case |
/// | `oneOf` or `anyOf` with `null`, `"null"` in `type`, `nullable` | an optional |
/// | `allOf`, `anyOf` or `oneOf` of one | that one |
/// | `allOf` of several, `$ref` beside properties | one type with all of it |
/// | `anyOf` or `oneOf` of which one allows all that the others do | that one |
/// | not `required`, without `default` | an optional |
/// | `default` | an initial value, which also stands for null |
/// | `minimum`, `maxLength`, `minItems`, `pattern`, `multipleOf`, `uniqueItems` | `validate:` |
/// | `$ref` to a file, an `$id`, an `$anchor` or a place in a schema | that type; of a model `Reference<Model>` |
/// | `description` | a documentation comment |
///
/// Keywords of this package begin with `x-modelcast-`:
///
/// | keyword | where | meaning |
/// |---|---|---|
/// | `name` | property, root, `$defs`, variant | the name in Swift; without it the key, `title` or file gives one |
/// | `type` | root of a model | the name of the type on the wire, if it is not that in Swift |
/// | `access` | root | `public`, `package` or `internal` for this file |
/// | `id` | property of a model | this property is the id; without it the property `id` is |
/// | `constant` | property of a model | `@Constant let` |
/// | `reference` | text or integer | the id of the model of that file, as with `$ref` to it |
/// | `open` | enum of texts | `Open<T>`: keeps a value that has no case here |
/// | `names` | enum | the case for a value: `{"1st": "first"}` |
/// | `swift`, `convert` | property | a type of your own that is a `FieldValue`, or has that conversion |
/// | `imports` | root | the modules of such types: `["Money"]` |
///
/// An enum is closed unless its schema says `open`: any other value is invalid, so a model with one is a problem that
/// readers are told of. Open an enum where publishers may be newer than readers.
///
/// Types within a property are declared in the type that has the property; types of `$defs` are declared beside it.
/// Lengths are counted in characters, as Swift does, not in code points. Each element of an array is one value: an
/// object that is one somewhere is `@FieldValue` everywhere, and merged as a whole. A `oneOf` is no element: put it
/// into an object. An object that is a property of itself needs an array between. A dictionary cannot hold dates. An
/// object that is a variant somewhere has no property for its tag anywhere. `@Field` does not reach into dictionaries
/// and variants: a `URL` there is a URI on the wire and a `UUID` a UUID, not text; both are read from text, too.
///
/// A schema describes models here, not lines of JSON: each field of a nested object, and each payload of a variant, is
/// a field of the model, under a dotted name.
public struct Generator: Sendable {
    private let access: GeneratedAccess
    private let isLenient: Bool

    /// - Parameters:
    ///   - access: how far the generated types can be seen, where a schema does not say it.
    ///   - isLenient: takes schemas as they are: what has no form in Swift is left out or becomes ``Value``, and is a
    ///     warning in place of a problem.
    public init(access: GeneratedAccess = .internal, isLenient: Bool = false) {
        (self.access, self.isLenient) = (access, isLenient)
    }

    /// One file of source for each schema, sorted by name.
    /// - Parameter warn: told of everything that a lenient run has left out or taken as any value.
    /// - Throws: ``SchemaProblems`` with all problems, not only the first.
    public func generate(
        _ schemas: [SchemaFile], warn: (SchemaProblem) -> Void = { _ in }
    ) throws(SchemaProblems) -> [GeneratedFile] {
        try reading(schemas, warn) { reader, files in
            // All files are read before the first is written: a struct is one value if any file has it in an array.
            let types = files.map(reader.types(of:))
            let generated = zip(files, types).map { file, types in
                let text = SwiftWriter.source(
                    of: types.map(reader.withValues), from: file.source.name, reader.access(of: file) ?? access,
                    importing: reader.imports(of: file))
                return GeneratedFile(name: file.source.swiftName, text: text)
            }
            reader.checkRecursion()
            return generated
        }
    }

    /// The models of these schemas, sorted by the names of the files.
    /// - Throws: ``SchemaProblems`` with all problems, not only the first.
    public func models(of schemas: [SchemaFile]) throws(SchemaProblems) -> [SchemaModel] {
        try reading(schemas) { reader, files in
            let types = files.flatMap(reader.types(of:)).map(reader.withValues)
            let byName = Dictionary(types.map { ($0.name, $0) }) { $1 }
            return types.compactMap { type in
                if case .structure(let shape) = type { SchemaModel(shape, among: byName) } else { nil }
            }
        }
    }

    /// Reads schemas: once, or in a lenient run until nothing more has to be left out.
    private func reading<Result>(
        _ schemas: [SchemaFile], _ warn: (SchemaProblem) -> Void = { _ in },
        _ body: (SchemaReader, [LoadedFile]) -> Result
    ) throws(SchemaProblems) -> Result {
        let findings = ProblemCollector()
        let files = load(schemas, findings)
        checkNames(files, findings)
        guard isLenient, findings.problems.isEmpty else {
            let result = body(SchemaReader(files, findings, nil), files)
            guard findings.problems.isEmpty else { throw SchemaProblems(findings.problems) }
            return result
        }
        let (leniency, warnings) = (Leniency(), ProblemCollector())
        while true {
            let (known, problems) = (leniency.count, ProblemCollector())
            let result = body(SchemaReader(files, problems, leniency), files)
            for problem in problems.problems { warnings.add(problem) }
            guard leniency.count == known else { continue }
            for warning in warnings.problems { warn(warning) }
            return result
        }
    }

    /// Parses the files and sorts them by name, so that the order does not depend on their folders. Files of one name
    /// are sorted by their paths.
    private func load(_ schemas: [SchemaFile], _ findings: ProblemCollector) -> [LoadedFile] {
        var files: [LoadedFile] = []
        for schema in schemas {
            do {
                let file = try LoadedFile(schema)
                if !files.contains(where: { $0.location == file.location }) { files.append(file) }
            } catch {
                findings.add(
                    SchemaProblem(
                        file: schema.path, line: error.line, column: error.column, pointer: "",
                        "is no JSON: \(error.reason)"))
            }
        }
        return files.sorted { ($0.source.name, $0.location) < ($1.source.name, $1.location) }
    }

    private func checkNames(_ files: [LoadedFile], _ findings: ProblemCollector) {
        var owners: [String: LoadedFile] = [:]
        for file in files {
            if let other = owners.updateValue(file, forKey: file.source.swiftName.lowercased()) {
                findings.report(
                    "\(file.source.swiftName) is made of \(other.path) already: give one of them another name",
                    at: file.node)
            }
        }
    }
}
