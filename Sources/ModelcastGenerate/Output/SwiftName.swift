import Foundation

/// Makes names of Swift from names of schemas.
enum SwiftName {
    /// The name of a property or case: `nick_name` becomes `nickName`, `URL` becomes `url`; nil if no identifier comes
    /// of the text.
    static func lowerCamel(_ text: String) -> String? {
        guard let words = words(text) else { return nil }
        // A run of capitals is one word, without the last capital if small letters follow.
        let capitals = words[0].prefix { $0.isUppercase || $0.isNumber }
        let count = capitals.count == words[0].count || capitals.count < 2 ? capitals.count : capitals.count - 1
        let first = words[0].prefix(count).lowercased() + words[0].dropFirst(count)
        return ([first] + words.dropFirst().map(capitalized)).joined()
    }

    /// The name of a type: `nick_name` becomes `NickName`; nil if no identifier comes of the text.
    static func upperCamel(_ text: String) -> String? { words(text)?.map(capitalized).joined() }

    /// The words of a text, each of letters and digits of whatever script; nil where the first begins with no letter.
    private static func words(_ text: String) -> [String]? {
        let text = text.precomposedStringWithCanonicalMapping
        let words = text.split { !isLetter($0) && !isDigit($0) }.map(String.init)
        guard let first = words.first?.first, isLetter(first) else { return nil }
        // `IN_PROGRESS` becomes `inProgress`: Swift does not write names in capitals.
        let isShouted = words.count > 1 && !text.contains(where: \.isLowercase)
        return isShouted ? words.map { $0.lowercased() } : words
    }

    private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.first, first == "_" || isLetter(first) else { return false }
        return text.allSatisfy { $0 == "_" || isLetter($0) || isDigit($0) }
    }

    /// A letter of ASCII, or one of another script that Swift takes in names.
    private static func isLetter(_ character: Character) -> Bool {
        character.isLetter && character.unicodeScalars.allSatisfy { $0.isASCII || $0.properties.isXIDContinue }
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    /// The name, or the name with the first number behind it that makes it free.
    static func free(_ name: String, isFree: (String) -> Bool) -> String {
        if isFree(name) { return name }
        var number = 2
        while !isFree("\(name)\(number)") { number += 1 }
        return "\(name)\(number)"
    }

    /// A name of a property or a case for any text; `what` stands before one that begins with no letter.
    static func anyLowerCamel(_ text: String, _ what: String) -> String {
        let name = lowerCamel(text) ?? lowerCamel("\(what) \(text)") ?? what
        return impossible.contains(name) || ofModel.contains(name) ? "\(name)Value" : name
    }

    /// The name as a declaration writes it, in backticks where it is a reserved word.
    static func escaped(_ name: String) -> String { reservedWords.contains(name) ? "`\(name)`" : name }

    /// Words that need backticks where something is declared.
    private static let reservedWords: Set = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "operator", "precedencegroup", "private", "protocol", "public", "rethrows", "static",
        "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do",
        "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while",
        "as", "false", "is", "nil", "super", "throws", "true", "try", "Any",
    ]

    /// Names that no property or case may have, or that already have a meaning in every model.
    static let impossible: Set = ["self", "Self", "Type", "Protocol", "hashValue", "_"]

    /// Names that `@Model` needs itself.
    static let ofModel: Set = [
        "model", "problems", "constants", "unknownFields", "Partial", "Constants", "FieldTypes", "FieldNames",
        "FieldConversions", "FieldChecks",
    ]

    /// Types that generated code or the macros name. Another type of the same name would take their place.
    static let takenTypes: Set = [
        "Any", "Array", "Bool", "CodingKey", "Codable", "ConstantField", "Constants", "CustomStringConvertible",
        "Data", "Date", "Decodable", "Decoder", "Dictionary", "Double", "Encodable", "Encoder", "Error", "Equatable",
        "Field", "FieldChecks", "FieldCodingKey", "FieldConversion", "FieldConversions", "FieldCursor",
        "FieldDecoder", "FieldEncoder", "FieldFault", "FieldGroup", "FieldName", "FieldNames", "FieldProblem",
        "FieldReader", "FieldSet", "FieldSink", "FieldSource", "FieldState", "FieldTypes", "FieldValidation",
        "FieldValue", "FieldWriter", "Fields", "Float", "Foundation", "Hashable", "Hasher", "ID", "Identifiable",
        "Int", "Int32", "Int64", "Model", "ModelField", "ModelID", "ModelProblem", "ModelProperty", "ModelText",
        "ModelcastMacros", "Never", "OneOfForm", "Open", "Optional", "Partial", "PartialModel", "Protocol",
        "CellRecord", "Reference", "Result", "Self", "Sendable", "Set", "String", "Structured", "StructuredValue",
        "Swift", "Type", "URL", "UUID", "Value", "Void",
    ]
}

extension String {
    /// The text as a literal of Swift.
    var literal: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
