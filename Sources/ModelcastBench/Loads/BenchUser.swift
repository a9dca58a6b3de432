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

nonisolated extension BenchUser: ModelTypes.Model, Codable, CustomStringConvertible {
    static var modelType: String { "BenchUser" }

    enum FieldNames {
        static let name: ModelTypes.ModelField<String> = "name"
        static let mailAddress: ModelTypes.ModelField<String> = "mail_address"
        static let age: ModelTypes.ModelField<Int> = "age"
        static let balance: ModelTypes.ModelField<Double> = "balance"
        static let isActive: ModelTypes.ModelField<Bool> = "isActive"
        static let city: ModelTypes.ModelField<String> = "city"
        static let language: ModelTypes.ModelField<String> = "language"
        static let score: ModelTypes.ModelField<Int32> = "score"
        static let createdAt: ModelTypes.ConstantField = "created_at"
        static let tags: ModelTypes.ModelField<[String]> = "tags"
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

    init(from decoder: any Decoder) throws {
        self = try Partial(from: decoder).complete(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try ModelTypes.FieldEncoder.encode(self, to: encoder)
    }

    func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
        let unknown = unknownFields
        try sink.write("name", name)
        try sink.write("mail_address", mailAddress)
        try sink.write("age", age)
        try sink.write("balance", balance)
        try sink.write("isActive", isActive)
        if !unknown.contains(5) {
            try sink.write("city", city)
        }
        try sink.write("language", language)
        try sink.write("score", score)
        try sink.write("created_at", createdAt, by: .unixMilliseconds)
        try sink.write("tags", tags)
    }

    func diff(from old: BenchUser) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields {
        var sink = ModelTypes.FieldWriter()
        let (unknown, oldUnknown) = (unknownFields, old.unknownFields)
        if name != old.name {
            try sink.write("name", name, insteadOf: old.name)
        }
        if mailAddress != old.mailAddress {
            try sink.write("mail_address", mailAddress, insteadOf: old.mailAddress)
        }
        if age != old.age {
            try sink.write("age", age, insteadOf: old.age)
        }
        if balance != old.balance {
            try sink.write("balance", balance, insteadOf: old.balance)
        }
        if isActive != old.isActive {
            try sink.write("isActive", isActive, insteadOf: old.isActive)
        }
        if unknown.contains(5) {
            if !oldUnknown.contains(5) {
                sink.writeUnknown("city", as: String.self)
            }
        } else if city != old.city || oldUnknown.contains(5) {
            try sink.write("city", city, insteadOf: old.city)
        }
        if language != old.language {
            try sink.write("language", language, insteadOf: old.language)
        }
        if score != old.score {
            try sink.write("score", score, insteadOf: old.score)
        }
        if createdAt != old.createdAt {
            try sink.write("created_at", createdAt, by: .unixMilliseconds)
        }
        if tags != old.tags {
            try sink.write("tags", tags, insteadOf: old.tags)
        }
        return sink.fields
    }

    var unknownFields: ModelTypes.FieldSet {
        var unknown = unread
        if city != nil {
            unknown.remove(5)
        }
        return unknown
    }

    static func == (left: BenchUser, right: BenchUser) -> Bool {
        left.id == right.id
            && left.name == right.name
            && left.mailAddress == right.mailAddress
            && left.age == right.age
            && left.balance == right.balance
            && left.isActive == right.isActive
            && left.city == right.city
            && left.language == right.language
            && left.score == right.score
            && left.createdAt == right.createdAt
            && left.tags == right.tags
            && left.unknownFields == right.unknownFields
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(name)
        hasher.combine(mailAddress)
        hasher.combine(age)
        hasher.combine(balance)
        hasher.combine(isActive)
        hasher.combine(city)
        hasher.combine(language)
        hasher.combine(score)
        hasher.combine(createdAt)
        hasher.combine(tags)
    }

    var description: String {
        let unknown = unknownFields
        var text = ModelTypes.ModelText("BenchUser")
        text.add("id", id)
        text.add("name", name)
        text.add("mailAddress", mailAddress)
        text.add("age", age)
        text.add("balance", balance)
        text.add("isActive", isActive)
        if !unknown.contains(5) {
            text.add("city", city)
        }
        text.add("language", language)
        text.add("score", score)
        text.add("createdAt", createdAt)
        text.add("tags", tags)
        return text.description
    }

    /// What is known of a ``BenchUser``, field by field.
    struct Partial: ModelTypes.PartialModel, Codable, CustomStringConvertible {
        let id: String
        var name: ModelTypes.FieldState<String> = .unknown
        var mailAddress: ModelTypes.FieldState<String> = .unknown
        var age: ModelTypes.FieldState<Int> = .unknown
        var balance: ModelTypes.FieldState<Double> = .unknown
        var isActive: ModelTypes.FieldState<Bool> = .unknown
        var city: ModelTypes.FieldState<String> = .unknown
        var language: ModelTypes.FieldState<String> = .unknown
        var score: ModelTypes.FieldState<Int32> = .unknown
        var createdAt: ModelTypes.FieldState<Date> = .unknown
        var tags: ModelTypes.FieldState<[String]> = .unknown

        /// Of this model nothing is known yet.
        init(id: String) {
            self.id = id
        }

        init(id: String, record: ModelRecord.CellRecord) {
            var reader = ModelTypes.FieldReader(record)
            self.init(id: id, reading: &reader)
        }

        init(from decoder: any Decoder) throws {
            var decoder = try ModelTypes.FieldDecoder(decoder)
            self.init(id: try decoder.id(), reading: &decoder)
        }

        private init(id: String, reading source: inout some ModelTypes.FieldSource) {
            self.id = id
            age = source.state(FieldNames.age._name, as: Int.self)
            city = source.state(FieldNames.city._name, as: String.self)
            name = source.state(FieldNames.name._name, as: String.self)
            tags = source.state(FieldNames.tags._name, as: [String].self)
            score = source.state(FieldNames.score._name, as: Int32.self)
            balance = source.state(FieldNames.balance._name, as: Double.self)
            isActive = source.state(FieldNames.isActive._name, as: Bool.self)
            language = source.state(FieldNames.language._name, as: String.self)
            createdAt = source.state(FieldNames.createdAt._name, by: .unixMilliseconds)
            mailAddress = source.state(FieldNames.mailAddress._name, as: String.self)
        }

        func model() throws(ModelTypes.FieldProblem) -> BenchUser {
            var model = BenchUser(
                id: id,
                name: try name.required(FieldNames.name._name),
                mailAddress: try mailAddress.required(FieldNames.mailAddress._name),
                age: try age.required(FieldNames.age._name),
                balance: try balance.required(FieldNames.balance._name),
                isActive: try isActive.required(FieldNames.isActive._name),
                city: try city.optional(FieldNames.city._name),
                language: try language.required(FieldNames.language._name, default: "en"),
                score: try score.required(FieldNames.score._name),
                createdAt: try createdAt.required(FieldNames.createdAt._name),
                tags: try tags.required(FieldNames.tags._name)
            )
            if !city.isKnown {
                model.unread.insert(5)
            }
            return model
        }

        var problems: [ModelTypes.FieldProblem] {
            let problems = [
                name.problem(FieldNames.name._name),
                mailAddress.problem(FieldNames.mailAddress._name),
                age.problem(FieldNames.age._name),
                balance.problem(FieldNames.balance._name),
                isActive.problem(FieldNames.isActive._name),
                city.optionalProblem(FieldNames.city._name),
                language.optionalProblem(FieldNames.language._name),
                score.problem(FieldNames.score._name),
                createdAt.problem(FieldNames.createdAt._name),
                tags.problem(FieldNames.tags._name),
            ]
            return problems.compactMap(\.self)
        }

        func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
            try sink.write("name", name)
            try sink.write("mail_address", mailAddress)
            try sink.write("age", age)
            try sink.write("balance", balance)
            try sink.write("isActive", isActive)
            try sink.write("city", city)
            try sink.write("language", language)
            try sink.write("score", score)
            try sink.write("created_at", createdAt, by: .unixMilliseconds)
            try sink.write("tags", tags)
        }

        func encode(to encoder: any Encoder) throws {
            try ModelTypes.FieldEncoder.encode(self, to: encoder)
        }

        var description: String {
            var text = ModelTypes.ModelText("BenchUser.Partial")
            text.add("id", id)
            text.add("name", name)
            text.add("mailAddress", mailAddress)
            text.add("age", age)
            text.add("balance", balance)
            text.add("isActive", isActive)
            text.add("city", city)
            text.add("language", language)
            text.add("score", score)
            text.add("createdAt", createdAt)
            text.add("tags", tags)
            return text.description
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
    struct Constants: Identifiable, Hashable, Sendable {
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
