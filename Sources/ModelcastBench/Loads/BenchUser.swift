// swift-format-ignore-file: TypeNamesShouldBeCapitalized

import Foundation
import Modelcast

// The expansion of `@Model` on a struct of eleven properties, as text, because no optimised build may need
// swift-syntax. A test of the macros compares this file with the present expansion.

struct BenchUser {
    let id: String
    var name: String
    var mailAddress: String
    var age: Int
    var balance: Double
    var isActive: Bool
    var city: String?
    var language: String = "en"
    var score: Int32
    let createdAt: Date
    var tags: [String]

    private var unread = ModelTypes.FieldSet()

    init(
        id: String,
        name: String,
        mailAddress: String,
        age: Int,
        balance: Double,
        isActive: Bool,
        city: String? = nil,
        language: String = "en",
        score: Int32,
        createdAt: Date,
        tags: [String]
    ) {
        self.id = id
        self.name = name
        self.mailAddress = mailAddress
        self.age = age
        self.balance = balance
        self.isActive = isActive
        self.city = city
        self.language = language
        self.score = score
        self.createdAt = createdAt
        self.tags = tags
    }
}

nonisolated extension BenchUser: ModelTypes.Model, Swift.Identifiable, Swift.Hashable,
    Swift.Equatable, Swift.Sendable, Swift.Codable, Swift.CustomStringConvertible
{
    static var modelType: Swift.String { "BenchUser" }

    enum FieldTypes {
        typealias name = ModelTypes.FieldOf<String>
        typealias mailAddress = ModelTypes.FieldOf<String>
        typealias age = ModelTypes.FieldOf<Int>
        typealias balance = ModelTypes.FieldOf<Double>
        typealias isActive = ModelTypes.FieldOf<Bool>
        typealias city = ModelTypes.FieldOf<String>
        typealias language = ModelTypes.FieldOf<String>
        typealias score = ModelTypes.FieldOf<Int32>
        typealias createdAt = ModelTypes.ConvertedOf<Date>
        typealias tags = ModelTypes.FieldOf<[String]>
    }

    private enum FieldConversions {
        static let createdAt = ModelTypes.FieldRule.conversion(of: FieldTypes.createdAt.self, by: .unixMilliseconds)
    }

    enum FieldNames {
        static let name: ModelTypes.ModelField<FieldTypes.name> = "name"
        static let mailAddress: ModelTypes.ModelField<FieldTypes.mailAddress> = "mail_address"
        static let age: ModelTypes.ModelField<FieldTypes.age> = "age"
        static let balance: ModelTypes.ModelField<FieldTypes.balance> = "balance"
        static let isActive: ModelTypes.ModelField<FieldTypes.isActive> = "isActive"
        static let city: ModelTypes.ModelField<FieldTypes.city> = "city"
        static let language: ModelTypes.ModelField<FieldTypes.language> = "language"
        static let score: ModelTypes.ModelField<FieldTypes.score> = "score"
        static let createdAt: ModelTypes.ConstantField = "created_at"
        static let tags: ModelTypes.ModelField<FieldTypes.tags> = "tags"
    }

    static let properties: [ModelTypes.ModelProperty<BenchUser>] = [
        ModelTypes.ModelProperty(\.name, FieldNames.name._name),
        ModelTypes.ModelProperty(\.mailAddress, FieldNames.mailAddress._name),
        ModelTypes.ModelProperty(\.age, FieldNames.age._name),
        ModelTypes.ModelProperty(\.balance, FieldNames.balance._name),
        ModelTypes.ModelProperty(\.isActive, FieldNames.isActive._name),
        ModelTypes.ModelProperty(\.city, FieldNames.city._name),
        ModelTypes.ModelProperty(\.language, FieldNames.language._name),
        ModelTypes.ModelProperty(\.score, FieldNames.score._name),
        ModelTypes.ModelProperty(\.createdAt, FieldNames.createdAt._name, isConstant: true),
        ModelTypes.ModelProperty(\.tags, FieldNames.tags._name),
    ]

    init(id: String, record: ModelRecord.CellRecord) throws(ModelTypes.FieldProblem) {
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
        sink.put("name", name as FieldTypes.name)
        sink.put("mail_address", mailAddress as FieldTypes.mailAddress)
        sink.put("age", age as FieldTypes.age)
        sink.put("balance", balance as FieldTypes.balance)
        sink.put("isActive", isActive as FieldTypes.isActive)
        sink.put("city", city as FieldTypes.city?, unless: unknown.contains(5))
        sink.put("language", language as FieldTypes.language, unless: unknown.contains(6))
        sink.put("score", score as FieldTypes.score)
        sink.put("created_at", createdAt, by: FieldConversions.createdAt)
        sink.put("tags", tags as FieldTypes.tags)
        try sink.checkProblem()
    }

    func diff(from old: BenchUser) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields {
        var diff = ModelTypes.FieldDiff(unknownFields, old.unknownFields)
        diff.compare("name", name as FieldTypes.name, old.name)
        diff.compare("mail_address", mailAddress as FieldTypes.mailAddress, old.mailAddress)
        diff.compare("age", age as FieldTypes.age, old.age)
        diff.compare("balance", balance as FieldTypes.balance, old.balance)
        diff.compare("isActive", isActive as FieldTypes.isActive, old.isActive)
        diff.compare("city", city as FieldTypes.city?, old.city, at: 5)
        diff.compare("language", language as FieldTypes.language, old.language, at: 6)
        diff.compare("score", score as FieldTypes.score, old.score)
        diff.compare("created_at", createdAt, old.createdAt, by: FieldConversions.createdAt)
        diff.compare("tags", tags as FieldTypes.tags, old.tags)
        return try diff.finish()
    }

    var unknownFields: ModelTypes.FieldSet {
        var unknown = unread
        unknown.remove(5, where: city)
        unknown.remove(6, where: language as FieldTypes.language, unlike: "en")
        return unknown
    }

    static func == (left: BenchUser, right: BenchUser) -> Swift.Bool {
        if ModelTypes.FieldRule.differ(left.id, right.id) { return false }
        if ModelTypes.FieldRule.differ(left.name as FieldTypes.name, right.name) { return false }
        if ModelTypes.FieldRule.differ(left.mailAddress as FieldTypes.mailAddress, right.mailAddress) { return false }
        if ModelTypes.FieldRule.differ(left.age as FieldTypes.age, right.age) { return false }
        if ModelTypes.FieldRule.differ(left.balance as FieldTypes.balance, right.balance) { return false }
        if ModelTypes.FieldRule.differ(left.isActive as FieldTypes.isActive, right.isActive) { return false }
        if ModelTypes.FieldRule.differ(left.city as FieldTypes.city?, right.city) { return false }
        if ModelTypes.FieldRule.differ(left.language as FieldTypes.language, right.language) { return false }
        if ModelTypes.FieldRule.differ(left.score as FieldTypes.score, right.score) { return false }
        if ModelTypes.FieldRule.differ(left.createdAt as FieldTypes.createdAt, right.createdAt) { return false }
        if ModelTypes.FieldRule.differ(left.tags as FieldTypes.tags, right.tags) { return false }
        if ModelTypes.FieldRule.differ(left.unknownFields, right.unknownFields) { return false }
        return true
    }

    func hash(into hasher: inout Swift.Hasher) {
        hasher.combine(id)
    }

    var description: Swift.String {
        ModelTypes.ModelText.of(
            self,
            "BenchUser",
            id: "id",
            unless: unknownFields,
            fields: "name",
            "mailAddress",
            "age",
            "balance",
            "isActive",
            "city",
            "language",
            "score",
            "createdAt",
            "tags"
        )
    }

    /// What is known of a ``BenchUser``, field by field.
    struct Partial: ModelTypes.PartialModel, Swift.Codable, Swift.CustomStringConvertible {
        let id: String
        var name: ModelTypes.FieldState<FieldTypes.name> = .unknown
        var mailAddress: ModelTypes.FieldState<FieldTypes.mailAddress> = .unknown
        var age: ModelTypes.FieldState<FieldTypes.age> = .unknown
        var balance: ModelTypes.FieldState<FieldTypes.balance> = .unknown
        var isActive: ModelTypes.FieldState<FieldTypes.isActive> = .unknown
        var city: ModelTypes.FieldState<FieldTypes.city> = .unknown
        var language: ModelTypes.FieldState<FieldTypes.language> = .unknown
        var score: ModelTypes.FieldState<FieldTypes.score> = .unknown
        var createdAt: ModelTypes.FieldState<FieldTypes.createdAt> = .unknown
        var tags: ModelTypes.FieldState<FieldTypes.tags> = .unknown

        /// Of this model nothing is known yet.
        init(id: String) {
            self.id = id
        }

        init(id: String, record: ModelRecord.CellRecord) {
            var reader = ModelTypes.FieldReader(record)
            self.init(id: id, reading: &reader)
        }

        init(from decoder: any Swift.Decoder) throws {
            var decoder = try ModelTypes.FieldDecoder(decoder, of: Partial.self)
            self.init(id: try decoder.id(), reading: &decoder)
        }

        private init(id: String, reading source: inout some ModelTypes.FieldSource) {
            self.id = id
            age = source.state(FieldNames.age._name, as: FieldTypes.age.self)
            city = source.state(FieldNames.city._name, as: FieldTypes.city.self)
            name = source.state(FieldNames.name._name, as: FieldTypes.name.self)
            tags = source.state(FieldNames.tags._name, as: FieldTypes.tags.self)
            score = source.state(FieldNames.score._name, as: FieldTypes.score.self)
            balance = source.state(FieldNames.balance._name, as: FieldTypes.balance.self)
            isActive = source.state(FieldNames.isActive._name, as: FieldTypes.isActive.self)
            language = source.state(FieldNames.language._name, as: FieldTypes.language.self)
            createdAt = source.state(FieldNames.createdAt._name, by: FieldConversions.createdAt)
            mailAddress = source.state(FieldNames.mailAddress._name, as: FieldTypes.mailAddress.self)
        }

        func model() throws(ModelTypes.FieldProblem) -> BenchUser {
            if let problem = problems.first { throw problem }
            var model = BenchUser(
                id: id,
                name: name.found,
                mailAddress: mailAddress.found,
                age: age.found,
                balance: balance.found,
                isActive: isActive.found,
                city: city.value,
                language: language.value ?? "en",
                score: score.found,
                createdAt: createdAt.found,
                tags: tags.found
            )
            model.unread.insert(5, unless: city.isKnown)
            model.unread.insert(6, unless: language.isKnown)
            return model
        }

        var problems: [ModelTypes.FieldProblem] {
            var problems = ModelTypes.FieldProblems()
            name.require("name", &problems)
            mailAddress.require("mail_address", &problems)
            age.require("age", &problems)
            balance.require("balance", &problems)
            isActive.require("isActive", &problems)
            city.allow("city", &problems)
            language.allow("language", &problems)
            score.require("score", &problems)
            createdAt.require("created_at", &problems)
            tags.require("tags", &problems)
            return problems.all
        }

        func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
            sink.put("name", name)
            sink.put("mail_address", mailAddress)
            sink.put("age", age)
            sink.put("balance", balance)
            sink.put("isActive", isActive)
            sink.put("city", city)
            sink.put("language", language)
            sink.put("score", score)
            sink.put("created_at", createdAt, by: FieldConversions.createdAt)
            sink.put("tags", tags)
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
            ModelTypes.ModelText.of(self, "BenchUser.Partial")
        }

        /// The fields of a ``BenchUser`` that never change.
        /// - Throws: ``FieldProblem`` for the first that is missing or faulty.
        func constants() throws(ModelTypes.FieldProblem) -> Constants {
            Constants(
                id: id,
                createdAt: try createdAt.required(FieldNames.createdAt._name)
            )
        }
    }

    /// The fields of a ``BenchUser`` that never change.
    struct Constants: Swift.Identifiable, Swift.Hashable, Swift.Sendable {
        let id: String
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
