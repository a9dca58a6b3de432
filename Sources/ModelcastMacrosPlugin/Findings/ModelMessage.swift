import SwiftDiagnostics

/// The problems of a model, and those of any type with a macro, and what to do about each.
enum ModelMessage: DiagnosticMessage {
    case notStruct(String, Subject)
    case generic(Subject)
    case withinGeneric(Subject)
    case hidden
    case noID
    case secondID
    case notLet(Marker)
    case fixedValue(String)
    case fixedID
    case noType(Subject)
    case pattern(Subject)
    case conditional(Subject)
    case duplicateName(String, first: String, Subject)
    case overlappingName(String, other: String, owner: String)
    case lazy(String)
    case reservedName(String, Subject)
    case longName(Subject)
    case emptyPart(String, Subject)
    case twoMacros(Subject, Subject)
    case twoTypeNames
    case notLiteral(String)
    case badTypeName(String)
    case notStored(Marker, kind: String)
    case excluded(Marker, by: Marker)
    case twice(Marker)
    case unsupported(UnsupportedType, Subject)
    case optionalID
    case typeOfID(String)
    case emptyLocal
    case noHash
    case twoDefaults
    case reservedProperty(String)
    case reservedType(String)
    case hiddenType(String)
    case codingKeys(Subject)
    case isolated(String, Subject)
    case otherDefault(String, type: String)
    case orphan(Marker, owner: String?)

    var severity: DiagnosticSeverity { .error }

    var diagnosticID: MessageID {
        let name = "\(self)".prefix { $0 != "(" }
        return MessageID(domain: "Modelcast", id: String(name))
    }

    var message: String {
        switch self {
        case .notStruct(let kind, let subject):
            "\(subject.attribute) is for structs: \(subject.noun) is an immutable value, not \(kind)"
        case .generic(let subject):
            "\(subject.noun) has one form on the wire: it cannot be generic; make a type for each"
        case .withinGeneric(let subject):
            "\(subject.noun) has one form on the wire: it cannot stand within a generic type; move it out"
        case .hidden: "a private type within another is not seen by its own extension: make it 'fileprivate'"
        case .noID: "a model needs an id: mark one 'let' with @ID"
        case .secondID: "a model has one id: mark only one property with @ID"
        case .notLet(let marker): "\(marker.attribute) never changes: make it a 'let'"
        case .fixedID: "an id comes with the model: take its initial value away"
        case .fixedValue(let name):
            "'\(name)' could never be read: a 'let' has its initial value for good; make it a 'var', or give the "
                + "value as @Field(default:)"
        case .noType(let subject):
            "\(subject.attribute) reads types as they are written: say the type of this property"
        case .pattern(let subject):
            "\(subject.attribute) reads one name after another: declare these properties one by one"
        case .conditional(let subject):
            "\(subject.attribute) cannot see what is within #if: declare this \(subject.member) outside of it"
        case .duplicateName(let name, let first, let subject):
            "the \(subject.part) \(name.literal) is the \(subject.member) '\(first)' already: give one of them another "
                + "name with @Field"
        case .overlappingName(let name, let other, let owner):
            "the field \(name.literal) would \(name.utf8.count > other.utf8.count ? "lie within" : "hold") "
                + "\(other.literal), the field of '\(owner)': give one of them another name with @Field"
        case .lazy(let name):
            "'\(name)' is lazy: it would be in no record, in no other process and in no comparison; compute it each "
                + "time, or store it"
        case .reservedName("id", _): "\"id\" is the name of the id: give this field another one with @Field"
        case .reservedName(_, let subject):
            "a \(subject.part) needs a name: give it one, or take the argument away to use the \(subject.member)'s own"
        case .longName(let subject):
            "the name of a \(subject.part) has at most 128 bytes of UTF-8: give it a shorter one"
        case .emptyPart(let name, let subject):
            "a dot separates the parts of a \(subject.part)'s name, and none of \(name.literal) may be empty"
        case .twoMacros(let first, let second):
            "\(first.attribute) and \(second.attribute) exclude each other: take one of them off"
        case .twoTypeNames: "two names of the type: keep that of @Model or 'modelType'"
        case .notLiteral(let part): "the name of a \(part) is read by the macro: write it as plain text in quotes"
        case .badTypeName(let name):
            "\(name.literal) cannot be the name of a type: 1 to 64 of A-Z, a-z, 0-9, '_', '.' and '-', the first a "
                + "letter or '_'; give one as @Model(\"…\")"
        case .notStored(let marker, let kind):
            "\(marker.attribute) is for what is stored: take it off this \(kind) property"
        case .excluded(let marker, let other):
            "\(marker.attribute) and \(other.attribute) exclude each other: take one of them off"
        case .twice(let marker): "\(marker.attribute) is here already: once is enough"
        case .unsupported(let type, let subject): "a field cannot be \(type.rawValue); \(type.advice(subject))"
        case .optionalID: "each model has an id: its type cannot be optional"
        case .typeOfID(let type):
            "an id is text, an integer of 32 or 64 bits, a UUID, or a type of your own with one of these that conforms "
                + "to ModelID: \(type) is none of them"
        case .emptyLocal: "what is @Local is not read from anywhere: give it an initial value or an optional type"
        case .noHash: "an '==' of your own needs a 'hash(into:)' of your own: equal values have equal hashes"
        case .twoDefaults: "two defaults: keep the initial value or @Field(default:)"
        case .isolated(let actor, let subject):
            "\(subject.noun) is read from every thread: take \(actor) off; what shows it can be on the actor"
        case .otherDefault(let value, let type): "a default is of the property's type: \(value) is no \(type)"
        case .orphan(let marker, let owner):
            "\(marker.attribute) says nothing here: it is for the \(marker == .field ? "members" : "properties") of a "
                + "type with @Model" + (marker == .field ? ", @Nested, @FieldValue or @OneOf" : "")
                + (owner.map { ": '\($0)' has none" } ?? "")
        case .codingKeys(let subject):
            "JSON has the names of the wire, and CodingKeys have no say: name each \(subject.part) with @Field(\"…\")"
                + (subject == .model ? ", the id with @ID(\"…\")," : "") + " and take these away"
        case .reservedType(let name): "'\(name)' is a name of generated code: call this type otherwise"
        case .hiddenType(let name):
            "'\(name)' is the generated type of that name here: write the module before yours, or call it otherwise"
        case .reservedProperty("id"): "'id' is the model's id: mark this property with @ID, or call it otherwise"
        case .reservedProperty(let name):
            "'\(name)' is a name of generated code: call the property otherwise; its field can keep the name, "
                + "with @Field(\(name.literal))"
        }
    }
}

/// The message of a fix-it: what it does.
struct ModelFixIt: FixItMessage {
    let message: String
    let fixItID: MessageID

    init(_ id: String, _ message: String) {
        self.message = message
        fixItID = MessageID(domain: "Modelcast", id: id)
    }
}
