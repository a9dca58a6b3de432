import SwiftDiagnostics

/// The problems that only groups of fields can have, and what to do about each.
enum GroupMessage: DiagnosticMessage {
    case nestedEnum
    case valueEnum
    case noFields
    case modelOnly(Marker)
    case structOneOf
    case notEnum(String)
    case rawValues
    case noCases
    case caseArgument(String)
    case noLabel
    case optionalPayload
    case recursive(String)
    case unusedEquality
    case tagLabel(String)

    var severity: DiagnosticSeverity { .error }

    var diagnosticID: MessageID {
        let name = "\(self)".prefix { $0 != "(" }
        return MessageID(domain: "Modelcast", id: String(name))
    }

    var message: String {
        switch self {
        case .nestedEnum: "@Nested is for structs: an enum is one of several things, which @OneOf is for"
        case .valueEnum:
            "@FieldValue is for structs: an enum with raw values says FieldValue behind its colon, one with payloads "
                + "is @OneOf"
        case .noFields: "a group of fields without any is never known: declare a property"
        case .modelOnly(let marker): "\(marker.attribute) is for the properties of a model: take it off here"
        case .structOneOf: "@OneOf is for enums: a struct is all of its properties, which @Nested is for"
        case .notEnum(let kind): "@OneOf is for enums: one of several things is a case, not \(kind)"
        case .rawValues: "an enum of raw values is one field: say FieldValue, and take @OneOf off"
        case .noCases: "an enum without cases has no value: declare a case"
        case .caseArgument(let label):
            "a case has no '\(label)': @Field gives it a name only; make the payload a struct with @Nested, whose "
                + "properties have one"
        case .noLabel: "each of several payloads is a field: give it a label, which is the field's name"
        case .optionalPayload:
            "the payload of a case is always there: take the '?' away, and declare a case without a payload"
        case .unusedEquality:
            "this '==' would not be used: the compiler finds it only where the type itself says Hashable"
        case .tagLabel(let tag):
            "in JSON '\(tag)' says which case it is: give the payload another label, or the tag another name"
        case .recursive(let name):
            "\(name) within itself would have fields without end: use a Reference to a model, or a FieldValue"
        }
    }
}
