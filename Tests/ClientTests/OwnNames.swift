import Modelcast
import ModelcastMacros

/// A user's own types, which are called like ours. What a macro writes means ours all the same.
enum OwnNames {
    struct Fields {}
    struct CellRecord {}
    struct Record {}
    struct Value {}
    struct FieldName {}
    struct FieldState {}
    struct FieldProblem {}
    struct FieldFault {}
    struct FieldSet {}
    struct FieldGroup {}
    struct StructuredValue {}
    struct MapSource {}
    struct FieldReader {}
    struct FieldWriter {}
    struct FieldSource {}
    struct FieldSink {}
    struct FieldEncoder {}
    struct FieldDecoder {}
    struct ModelField {}
    struct ConstantField {}
    struct ModelProperty {}
    struct ModelText {}
    struct PartialModel {}
    struct Partial {}
    struct Names {}

    // Swift's own names. The file writes `Swift.String` where it means that.
    struct String {}
    struct Bool {}
    struct Never {}
    struct Hasher {}
    struct Decoder {}
    struct Encoder {}
    struct CodingKey {}
    protocol Codable {}
    protocol Decodable {}
    protocol Encodable {}
    protocol Equatable {}
    protocol Hashable {}
    protocol Sendable {}
    protocol Identifiable {}
    protocol CustomStringConvertible {}

    @Model
    struct Order {
        @ID let id: Swift.String
        @Constant let number: Int
        var note: Swift.String?
        var address: Address
        var payment: Payment
        @Field(convert: .commaSeparated) var tags: [Swift.String]?
        @Field(validate: .length(1...9)) var code: Swift.String = "none"
        var lines: [Line] = []
    }

    @FieldValue
    struct Line {
        var article: Int
        var parts: [Line]?
        var address: Address?
    }

    @Nested
    struct Address {
        var city: Swift.String
        var street: Swift.String?
    }

    @OneOf
    enum Payment {
        case cash
        case card(number: Swift.String)
    }

    /// Equal by the id alone.
    @Model
    struct Ticket {
        @ID let id: Swift.String
        var description: Swift.String?

        static func == (left: Ticket, right: Ticket) -> Swift.Bool { left.id == right.id }
        func hash(into hasher: inout Swift.Hasher) { hasher.combine(id) }
    }
}

/// Types called like the macros. The macros need their module then.
enum OwnModel {
    struct Model {}
    struct FieldValue {}

    @ModelcastMacros.Model
    struct Order {
        @ID let id: String
        var note: String?
        var lines: [Line] = []
    }

    @ModelcastMacros.FieldValue
    struct Line { var article: Int }
}
