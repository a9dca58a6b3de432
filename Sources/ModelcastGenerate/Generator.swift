/// Makes Swift source of JSON Schemas: types with `@Model`, `@Nested` and `@OneOf`.
///
/// ```swift
/// let files = try Generator(access: .public).generate([SchemaFile(readingFrom: "user.schema.json")])
/// ```
/// A file whose root is an object with an `id` is a model. All files that refer to each other are read in one run. What
/// is made depends on the text and the names of the files alone, not on their folder or order.
///
/// | JSON Schema (2020-12) | Swift |
/// |---|---|
/// | `string`, `boolean`, `integer`, `number` | `String`, `Bool`, `Int`, `Double` |
/// | `format`: `int32`, `int64`; `float`, `double` | `Int32`, `Int64`; `Float`, `Double` |
/// | `format: date-time` | `Date`, with `convert: .iso8601` |
/// | `format: uri`, `format: uuid` | `URL` and `UUID`, travelling as text |
/// | `format: byte`, `contentEncoding: base64` | `Data`: bytes on the wire, base64 in the JSON of Foundation |
/// | any other format | a note for readers, as in JSON Schema |
/// | `array`; `object` with `additionalProperties` only | `[T]`; `[String: T]` |
/// | `{}` or `true`; items or values that say nothing | `Value` |
/// | `enum` of texts; `oneOf` of `const` texts | an enum with raw values |
/// | `const` | a value that is always there and checked |
/// | `object` with `properties` | `@Nested struct`; with an id, at the root of a file, `@Model struct` |
/// | `oneOf` of other things | `@OneOf enum`; the `const` property that tells objects apart is its case |
/// | `oneOf` or `anyOf` with `null`, `"null"` in `type`, `nullable` | an optional |
/// | `allOf`, `anyOf` or `oneOf` of one | that one |
/// | not `required`, without `default` | an optional |
/// | `default` | an initial value, which also stands for null |
/// | `minimum`, `maxLength`, `minItems` and their like | `validate:` |
/// | `$ref` to a file or into `$defs` | that type; of a model `Reference<Model>` |
/// | `description` | a documentation comment |
///
/// What only this package knows begins with `x-modelcast-`:
///
/// | keyword | where | meaning |
/// |---|---|---|
/// | `name` | property, root, `$defs`, variant | the name in Swift; else the key, `title` or file makes it |
/// | `type` | root of a model | the name of the type on the wire, if it is not that in Swift |
/// | `access` | root | `public`, `package` or `internal` for this file |
/// | `id` | property of a model | it is the id; else `id` is |
/// | `constant` | property of a model | `@Constant let` |
/// | `reference` | text or integer | the id of the model of that file, as `$ref` to it says |
/// | `open` | enum of texts | `Open<T>`: keeps a value that has no case here |
/// | `names` | enum | the case for a value: `{"1st": "first"}` |
///
/// An enum is closed unless it says `open`: its schema calls any other value invalid, so a model with one is a problem
/// that somebody sees. Open it where publishers are to be newer than readers.
///
/// Types within a property are declared in the type that has it, those of `$defs` beside it. Lengths are counted in
/// characters, as Swift does, not in code points. Elements of arrays are one value each, so that they cannot be objects
/// with `properties`: those become models of their own, or `Value`. In a dictionary there are no dates. An object that
/// is a variant somewhere has no property for its tag anywhere. `@Field` does not reach into dictionaries and variants:
/// there a `URL` travels as a URI, and a `UUID` as one, not as text; both are read from text, too.
///
/// A schema describes models here, not lines of JSON: of nested objects each field travels for itself, under a dotted
/// name, and so does what a variant holds.
public struct Generator: Sendable {
    private let access: GeneratedAccess

    public init(access: GeneratedAccess = .internal) { self.access = access }

    /// One file of source for each schema, sorted by name.
    /// - Throws: ``SchemaProblems`` with all that is wrong, not only the first.
    public func generate(_ schemas: [SchemaFile]) throws(SchemaProblems) -> [GeneratedFile] {
        let findings = Findings()
        let files = load(schemas, findings)
        checkNames(files, findings)
        let reader = SchemaReader(files, findings)
        let generated = files.map { file in
            let text = SwiftWriter.source(
                of: reader.types(of: file), from: file.source.name, reader.access(of: file) ?? access)
            return GeneratedFile(name: file.source.swiftName, text: text)
        }
        reader.checkRecursion()
        guard findings.problems.isEmpty else { throw SchemaProblems(findings.problems) }
        return generated
    }

    /// Sorted by what does not depend on the folder, where that tells them apart.
    private func load(_ schemas: [SchemaFile], _ findings: Findings) -> [LoadedFile] {
        var files: [LoadedFile] = []
        for schema in schemas {
            do {
                let file = try LoadedFile(schema)
                if !files.contains(where: { $0.location == file.location }) { files.append(file) }
            } catch {
                let message = "is no JSON: \(error.reason) at line \(error.line), column \(error.column)"
                findings.add(SchemaProblem(file: schema.path, pointer: "", message))
            }
        }
        return files.sorted { ($0.source.name, $0.location) < ($1.source.name, $1.location) }
    }

    private func checkNames(_ files: [LoadedFile], _ findings: Findings) {
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
