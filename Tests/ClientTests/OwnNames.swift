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

    @Model
    struct Order {
        @ID let id: String
        @Constant let number: Int
        var note: String?
        var address: Address
        var payment: Payment
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
        var city: String
    }

    @OneOf
    enum Payment {
        case cash
        case card(number: String)
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
