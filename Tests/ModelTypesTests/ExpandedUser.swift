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

nonisolated extension User: ModelTypes.Model, Codable, CustomStringConvertible {
    static var modelType: String { "User" }

    enum FieldNames {
        static let nickName: ModelTypes.ModelField<String> = "nick_name"
        static let age: ModelTypes.ModelField<Int> = "age"
        static let createdAt: ModelTypes.ConstantField = "createdAt"
        static let homepage: ModelTypes.ModelField<Never> = "home"
        static let colour: ModelTypes.ModelField<Colour> = "colour"
        static let title: ModelTypes.ModelField<String> = "title"
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

    init(from decoder: any Decoder) throws {
        self = try Partial(from: decoder).complete(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try ModelTypes.FieldEncoder.encode(self, to: encoder)
    }

    func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
        let unknown = unknownFields
        try sink.write("nick_name", nickName)
        if !unknown.contains(1) {
            try sink.write("age", age)
        }
        try sink.write("createdAt", createdAt, by: .iso8601)
        if !unknown.contains(3) {
            try sink.write("home", homepage, by: .urlText)
        }
        try sink.write("colour", colour)
        if !unknown.contains(5) {
            try sink.validate("title", title, by: .length(1...80))
            try sink.write("title", title)
        }
    }

    func diff(from old: User) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields {
        var sink = ModelTypes.FieldWriter()
        let (unknown, oldUnknown) = (unknownFields, old.unknownFields)
        if nickName != old.nickName {
            try sink.write("nick_name", nickName, insteadOf: old.nickName)
        }
        if unknown.contains(1) {
            if !oldUnknown.contains(1) {
                sink.writeUnknown("age", as: Int.self)
            }
        } else if age != old.age || oldUnknown.contains(1) {
            try sink.write("age", age, insteadOf: old.age)
        }
        if createdAt != old.createdAt {
            try sink.write("createdAt", createdAt, by: .iso8601)
        }
        if unknown.contains(3) {
            if !oldUnknown.contains(3) {
                sink.writeUnknown("home", by: .urlText)
            }
        } else if homepage != old.homepage || oldUnknown.contains(3) {
            try sink.write("home", homepage, by: .urlText)
        }
        if colour != old.colour {
            try sink.write("colour", colour, insteadOf: old.colour)
        }
        if unknown.contains(5) {
            if !oldUnknown.contains(5) {
                sink.writeUnknown("title", as: String.self)
            }
        } else if title != old.title || oldUnknown.contains(5) {
            try sink.validate("title", title, by: .length(1...80))
            try sink.write("title", title, insteadOf: old.title)
        }
        return sink.fields
    }

    var unknownFields: ModelTypes.FieldSet {
        var unknown = unread
        if age != nil {
            unknown.remove(1)
        }
        if homepage != nil {
            unknown.remove(3)
        }
        if title != nil {
            unknown.remove(5)
        }
        return unknown
    }

    static func == (left: User, right: User) -> Bool {
        left.id == right.id
            && left.nickName == right.nickName
            && left.age == right.age
            && left.createdAt == right.createdAt
            && left.homepage == right.homepage
            && left.colour == right.colour
            && left.title == right.title
            && left.unknownFields == right.unknownFields
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(nickName)
        hasher.combine(age)
        hasher.combine(createdAt)
        hasher.combine(homepage)
        hasher.combine(colour)
        hasher.combine(title)
    }

    var description: String {
        let unknown = unknownFields
        var text = ModelTypes.ModelText("User")
        text.add("id", id)
        text.add("nickName", nickName)
        if !unknown.contains(1) {
            text.add("age", age)
        }
        text.add("createdAt", createdAt)
        if !unknown.contains(3) {
            text.add("homepage", homepage)
        }
        text.add("colour", colour)
        if !unknown.contains(5) {
            text.add("title", title)
        }
        return text.description
    }

    /// What is known of a ``User``, field by field.
    struct Partial: ModelTypes.PartialModel, Codable, CustomStringConvertible {
        let id: UUID
        var nickName: ModelTypes.FieldState<String> = .unknown
        var age: ModelTypes.FieldState<Int> = .unknown
        var createdAt: ModelTypes.FieldState<Date> = .unknown
        var homepage: ModelTypes.FieldState<URL> = .unknown
        var colour: ModelTypes.FieldState<Colour> = .unknown
        var title: ModelTypes.FieldState<String> = .unknown

        /// Of this model nothing is known yet.
        init(id: UUID) {
            self.id = id
        }

        init(id: UUID, record: ModelRecord.CellRecord) {
            var reader = ModelTypes.FieldReader(record)
            self.init(id: id, reading: &reader)
        }

        init(from decoder: any Decoder) throws {
            var decoder = try ModelTypes.FieldDecoder(decoder)
            self.init(id: try decoder.id(), reading: &decoder)
        }

        private init(id: UUID, reading source: inout some ModelTypes.FieldSource) {
            self.id = id
            age = source.state(FieldNames.age._name, as: Int.self)
            homepage = source.state(FieldNames.homepage._name, by: .urlText)
            title = source.state(FieldNames.title._name, as: String.self).validated(by: .length(1...80))
            colour = source.state(FieldNames.colour._name, as: Colour.self)
            createdAt = source.state(FieldNames.createdAt._name, by: .iso8601)
            nickName = source.state(FieldNames.nickName._name, as: String.self)
        }

        func model() throws(ModelTypes.FieldProblem) -> User {
            var model = User(
                id: id,
                nickName: try nickName.required(FieldNames.nickName._name),
                age: try age.optional(FieldNames.age._name),
                createdAt: try createdAt.required(FieldNames.createdAt._name),
                homepage: try homepage.optional(FieldNames.homepage._name),
                colour: try colour.required(FieldNames.colour._name, default: .red),
                title: try title.optional(FieldNames.title._name)
            )
            if !age.isKnown {
                model.unread.insert(1)
            }
            if !homepage.isKnown {
                model.unread.insert(3)
            }
            if !title.isKnown {
                model.unread.insert(5)
            }
            return model
        }

        var problems: [ModelTypes.FieldProblem] {
            let problems = [
                nickName.problem(FieldNames.nickName._name),
                age.optionalProblem(FieldNames.age._name),
                createdAt.problem(FieldNames.createdAt._name),
                homepage.optionalProblem(FieldNames.homepage._name),
                colour.optionalProblem(FieldNames.colour._name),
                title.optionalProblem(FieldNames.title._name),
            ]
            return problems.compactMap(\.self)
        }

        func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
            try sink.write("nick_name", nickName)
            try sink.write("age", age)
            try sink.write("createdAt", createdAt, by: .iso8601)
            try sink.write("home", homepage, by: .urlText)
            try sink.write("colour", colour)
            try sink.validate("title", title.value, by: .length(1...80))
            try sink.write("title", title)
        }

        func encode(to encoder: any Encoder) throws {
            try ModelTypes.FieldEncoder.encode(self, to: encoder)
        }

        var description: String {
            var text = ModelTypes.ModelText("User.Partial")
            text.add("id", id)
            text.add("nickName", nickName)
            text.add("age", age)
            text.add("createdAt", createdAt)
            text.add("homepage", homepage)
            text.add("colour", colour)
            text.add("title", title)
            return text.description
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
    struct Constants: Identifiable, Hashable, Sendable {
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
