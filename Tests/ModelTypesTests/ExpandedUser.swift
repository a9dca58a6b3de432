// swift-format-ignore-file: TypeNamesShouldBeCapitalized

import Foundation
import ModelRecord
import ModelTypes

enum Colour: String, FieldValue { case red, green }

struct User {
    let id: UUID
    var nickName: String
    var age: Int?
    let createdAt: Date
    var homepage: URL?
    var colour: Colour = .red
    var title: String?
    var isSelected: Bool = false

    private var unread = ModelTypes.FieldSet()

    init(
        id: UUID,
        nickName: String,
        age: Int? = nil,
        createdAt: Date,
        homepage: URL? = nil,
        colour: Colour = .red,
        title: String? = nil,
        isSelected: Bool = false
    ) {
        self.id = id
        self.nickName = nickName
        self.age = age
        self.createdAt = createdAt
        self.homepage = homepage
        self.colour = colour
        self.title = title
        self.isSelected = isSelected
    }
}

nonisolated extension User: ModelTypes.Model, Swift.Identifiable, Swift.Hashable, Swift.Equatable,
    Swift.Sendable, Swift.Codable, Swift.CustomStringConvertible
{
    static var modelType: Swift.String { "User" }

    enum FieldTypes {
        typealias nickName = ModelTypes.FieldOf<String>
        typealias age = ModelTypes.FieldOf<Int>
        typealias createdAt = ModelTypes.ConvertedOf<Date>
        typealias homepage = ModelTypes.ConvertedOf<URL>
        // Fields are scalars, @FieldValue, @Nested, @OneOf, arrays and maps; other types take convert:.
        typealias colour = ModelTypes.FieldOf<Colour>
        typealias title = ModelTypes.FieldOf<String>
    }

    private enum FieldConversions {
        static let createdAt = ModelTypes.FieldRule.conversion(of: FieldTypes.createdAt.self, by: .iso8601)
        static let homepage = ModelTypes.FieldRule.conversion(of: FieldTypes.homepage.self, by: .urlText)
    }

    private enum FieldChecks {
        static let title = ModelTypes.FieldRule.validation(of: FieldTypes.title.self, by: .length(1...80))
    }

    enum FieldNames {
        static let nickName: ModelTypes.ModelField<FieldTypes.nickName> = "nick_name"
        static let age: ModelTypes.ModelField<FieldTypes.age> = "age"
        static let createdAt: ModelTypes.ConstantField = "createdAt"
        static let homepage: ModelTypes.ModelField<Swift.Never> = "home"
        static let colour: ModelTypes.ModelField<FieldTypes.colour> = "colour"
        static let title: ModelTypes.ModelField<FieldTypes.title> = "title"
    }

    static let properties: [ModelTypes.ModelProperty<User>] = [
        ModelTypes.ModelProperty(\.nickName, FieldNames.nickName._name),
        ModelTypes.ModelProperty(\.age, FieldNames.age._name),
        ModelTypes.ModelProperty(\.createdAt, FieldNames.createdAt._name, isConstant: true),
        ModelTypes.ModelProperty(\.homepage, FieldNames.homepage._name),
        ModelTypes.ModelProperty(\.colour, FieldNames.colour._name),
        ModelTypes.ModelProperty(\.title, FieldNames.title._name),
    ]

    init(id: UUID, record: ModelRecord.CellRecord) throws(ModelTypes.FieldProblem) {
        self = try Partial(id: id, record: record).model()
    }

    init(from decoder: any Swift.Decoder) throws {
        self = try Partial(from: decoder).complete(from: decoder)
    }

    func encode(to encoder: any Swift.Encoder) throws {
        try ModelTypes.FieldEncoder.encode(self, to: encoder)
    }

    func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
        let unknown = unknownFields
        sink.put("nick_name", nickName as FieldTypes.nickName)
        sink.put("age", age as FieldTypes.age?, unless: unknown.contains(1))
        sink.put("createdAt", createdAt, by: FieldConversions.createdAt)
        sink.put("home", homepage, unless: unknown.contains(3), by: FieldConversions.homepage)
        sink.put("colour", colour as FieldTypes.colour, unless: unknown.contains(4))
        try sink.validate("title", title, by: FieldChecks.title)
        sink.put("title", title as FieldTypes.title?, unless: unknown.contains(5))
        try sink.checkProblem()
    }

    func diff(from old: User) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields {
        var diff = ModelTypes.FieldDiff(unknownFields, old.unknownFields)
        diff.compare("nick_name", nickName as FieldTypes.nickName, old.nickName)
        diff.compare("age", age as FieldTypes.age?, old.age, at: 1)
        diff.compare("createdAt", createdAt, old.createdAt, by: FieldConversions.createdAt)
        diff.compare("home", homepage, old.homepage, at: 3, by: FieldConversions.homepage)
        diff.compare("colour", colour as FieldTypes.colour, old.colour, at: 4)
        if ModelTypes.FieldRule.differ(title as FieldTypes.title?, old.title) {
            try diff.validate("title", title, by: FieldChecks.title)
        }
        diff.compare("title", title as FieldTypes.title?, old.title, at: 5)
        return try diff.finish()
    }

    var unknownFields: ModelTypes.FieldSet {
        var unknown = unread
        unknown.remove(1, where: age)
        unknown.remove(3, where: homepage)
        unknown.remove(4, where: colour as FieldTypes.colour, unlike: .red)
        unknown.remove(5, where: title)
        return unknown
    }

    static func == (left: User, right: User) -> Swift.Bool {
        if ModelTypes.FieldRule.differ(left.id, right.id) { return false }
        if ModelTypes.FieldRule.differ(left.nickName as FieldTypes.nickName, right.nickName) { return false }
        if ModelTypes.FieldRule.differ(left.age as FieldTypes.age?, right.age) { return false }
        if ModelTypes.FieldRule.differ(left.createdAt as FieldTypes.createdAt, right.createdAt) { return false }
        if ModelTypes.FieldRule.differ(left.homepage as FieldTypes.homepage?, right.homepage) { return false }
        if ModelTypes.FieldRule.differ(left.colour as FieldTypes.colour, right.colour) { return false }
        if ModelTypes.FieldRule.differ(left.title as FieldTypes.title?, right.title) { return false }
        if ModelTypes.FieldRule.differ(left.unknownFields, right.unknownFields) { return false }
        return true
    }

    func hash(into hasher: inout Swift.Hasher) {
        hasher.combine(id)
    }

    var description: Swift.String {
        ModelTypes.ModelText.of(
            self,
            "User",
            id: "id",
            unless: unknownFields,
            fields: "nickName",
            "age",
            "createdAt",
            "homepage",
            "colour",
            "title"
        )
    }

    /// What is known of a ``User``, field by field.
    struct Partial: ModelTypes.PartialModel, Swift.Codable, Swift.CustomStringConvertible {
        let id: UUID
        var nickName: ModelTypes.FieldState<FieldTypes.nickName> = .unknown
        var age: ModelTypes.FieldState<FieldTypes.age> = .unknown
        var createdAt: ModelTypes.FieldState<FieldTypes.createdAt> = .unknown
        var homepage: ModelTypes.FieldState<FieldTypes.homepage> = .unknown
        var colour: ModelTypes.FieldState<FieldTypes.colour> = .unknown
        var title: ModelTypes.FieldState<FieldTypes.title> = .unknown

        /// Of this model nothing is known yet.
        init(id: UUID) {
            self.id = id
        }

        init(id: UUID, record: ModelRecord.CellRecord) {
            var reader = ModelTypes.FieldReader(record)
            self.init(id: id, reading: &reader)
        }

        init(from decoder: any Swift.Decoder) throws {
            var decoder = try ModelTypes.FieldDecoder(decoder, of: Partial.self)
            self.init(id: try decoder.id(), reading: &decoder)
        }

        private init(id: UUID, reading source: inout some ModelTypes.FieldSource) {
            self.id = id
            age = source.state(FieldNames.age._name, as: FieldTypes.age.self)
            homepage = source.state(FieldNames.homepage._name, by: FieldConversions.homepage)
            title = source.state(FieldNames.title._name, as: FieldTypes.title.self).validated(by: FieldChecks.title)
            colour = source.state(FieldNames.colour._name, as: FieldTypes.colour.self)
            createdAt = source.state(FieldNames.createdAt._name, by: FieldConversions.createdAt)
            nickName = source.state(FieldNames.nickName._name, as: FieldTypes.nickName.self)
        }

        func model() throws(ModelTypes.FieldProblem) -> User {
            if let problem = problems.first { throw problem }
            var model = User(
                id: id,
                nickName: nickName.found,
                age: age.value,
                createdAt: createdAt.found,
                homepage: homepage.value,
                colour: colour.value ?? .red,
                title: title.value
            )
            model.unread.insert(1, unless: age.isKnown)
            model.unread.insert(3, unless: homepage.isKnown)
            model.unread.insert(4, unless: colour.isKnown)
            model.unread.insert(5, unless: title.isKnown)
            return model
        }

        var problems: [ModelTypes.FieldProblem] {
            var problems = ModelTypes.FieldProblems()
            nickName.require("nick_name", &problems)
            age.allow("age", &problems)
            createdAt.require("createdAt", &problems)
            homepage.allow("home", &problems)
            colour.allow("colour", &problems)
            title.allow("title", &problems)
            return problems.all
        }

        func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
            sink.put("nick_name", nickName)
            sink.put("age", age)
            sink.put("createdAt", createdAt, by: FieldConversions.createdAt)
            sink.put("home", homepage, by: FieldConversions.homepage)
            sink.put("colour", colour)
            try sink.validate("title", title.value, by: FieldChecks.title)
            sink.put("title", title)
            try sink.checkProblem()
        }

        func encode(to encoder: any Swift.Encoder) throws {
            try ModelTypes.FieldEncoder.encode(self, to: encoder)
        }

        static func == (left: Partial, right: Partial) -> Swift.Bool {
            ModelTypes.FieldRule.areEqual(left, right)
        }

        func hash(into hasher: inout Swift.Hasher) {
            hasher.combine(id)
        }

        var description: Swift.String {
            ModelTypes.ModelText.of(self, "User.Partial")
        }

        /// The fields of a ``User`` that never change.
        /// - Throws: ``FieldProblem`` for the first that is missing or faulty.
        func constants() throws(ModelTypes.FieldProblem) -> Constants {
            Constants(
                id: id,
                createdAt: try createdAt.required(FieldNames.createdAt._name)
            )
        }
    }

    /// The fields of a ``User`` that never change.
    struct Constants: Swift.Identifiable, Swift.Hashable, Swift.Sendable {
        let id: UUID
        let createdAt: Date
    }

    /// The fields that never change.
    var constants: Constants {
        Constants(
            id: id,
            createdAt: createdAt
        )
    }
}
