import ArgumentParser
import ModelJSON
import ModelRecord
import Modelcast
import ModelcastGenerate

/// The options that say what a line of an input is: the type of the models, and where their ids stand.
struct ModelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What a line is: the type of the models.", valueName: "type"))
    var type: String?

    @Option(
        help: ArgumentHelp(
            "The field with the id, a text of 1 to 255 bytes; dotted if in an object.", valueName: "field"))
    var idField: String?

    @Option(
        help: ArgumentHelp(
            "What ids are: integers may be numbers, and UUIDs in small letters; both travel in the form that models in "
                + "Swift have. Default: text.", valueName: "text|integer|uuid"))
    var idType: IDType?

    @Option(
        help: ArgumentHelp(
            "A JSON Schema as modelcast generate takes it, in place of these three: it says them. Of several models "
                + "--type picks one. Repeat it for the files that it refers to. Lines are not checked by it.",
            valueName: "file"))
    var schema: [String] = []

    func validate() throws {
        guard !schema.isEmpty || type != nil else {
            throw ValidationError("--type is missing: what a line is; or --schema, a JSON Schema that says it")
        }
        guard !schema.isEmpty || idField != nil else {
            throw ValidationError(
                "--id-field is missing: the field with the id; or --schema, a JSON Schema that says it")
        }
        do {
            if let type { try Names.check(type: type) }
            if let idField { try Names.check(field: idField) }
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// What a line is.
    struct InputModel {
        let type: String
        let idField: String
        let idType: IDType
        /// The paths of objects that are no groups of fields.
        var forms: [String: ObjectForm] = [:]
    }

    /// The options, with what a schema says in place of those that are left out.
    /// - Throws: ``CommandFailure`` for a schema that cannot be read, or does not say which model is meant.
    func inputModel() throws -> InputModel {
        if schema.isEmpty, let type, let idField {
            return InputModel(type: type, idField: idField, idType: idType ?? .text)
        }
        let files: [SchemaFile]
        let models: [SchemaModel]
        do {
            files = try schema.map { try SchemaFile(readingFrom: $0) }
            models = try Generator(isLenient: true).models(of: files)
        } catch {
            throw CommandFailure("\(error)")
        }
        let names = models.map(\.type).joined(separator: ", ")
        let chosen = type.map { type in models.filter { $0.type == type } } ?? models
        guard let model = chosen.first else {
            throw models.isEmpty
                ? noModel(in: files) : CommandFailure("--schema has no model \(type ?? ""), but \(names)")
        }
        guard chosen.count == 1 else {
            throw CommandFailure("--schema has several models: pick one with --type, of \(names)")
        }
        return InputModel(
            type: model.type, idField: idField ?? model.idKey, idType: idType ?? IDType(model.idKind),
            forms: model.objects.mapValues(ObjectForm.init))
    }

    /// The error of schemas without a model, with what `modelcast generate` says of them.
    private func noModel(in files: [SchemaFile]) -> CommandFailure {
        let reason = "--schema has no model: no root object with an id, such as a required property \"id\""
        do {
            _ = try Generator().models(of: files)
            return CommandFailure(reason)
        } catch {
            return CommandFailure("\(reason); \(error.problems.first.map { "\($0)" } ?? "")")
        }
    }
}

extension ObjectForm {
    fileprivate init(_ form: SchemaModel.ObjectForm) {
        switch form {
        case .value: self = .value
        case .tagged(let tag): self = .tagged(tag)
        case .untagged: self = .untagged
        }
    }
}

extension IDType: ExpressibleByArgument {
    fileprivate init(_ kind: SchemaModel.IDKind) {
        switch kind {
        case .text: self = .text
        case .integer: self = .integer
        case .uuid: self = .uuid
        }
    }
}
