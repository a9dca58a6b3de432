/// The keywords of schemas, by the place where they have a meaning.
enum Keywords {
    /// Annotations: they do not change what is valid.
    static let annotations: Set = [
        "$schema", "$id", "$comment", "$anchor", "$vocabulary", "title", "description", "examples", "example",
        "deprecated", "readOnly", "writeOnly", "contentMediaType", "externalDocs",
    ]
    /// The keywords of a schema in any place.
    static let anywhere: Set = ["type", "nullable", "default"]
    /// The further keywords of a property of a struct.
    static let ofProperty: Set = ["x-modelcast-name", "x-modelcast-id", "x-modelcast-constant"]

    static let ofText: Set = ["format", "minLength", "maxLength", "contentEncoding"]
    static let ofNumber: Set = ["format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
    static let ofArray: Set = ["items", "minItems", "maxItems"]
    static let ofDictionary: Set = ["additionalProperties", "minProperties", "maxProperties"]
    static let ofEnum: Set = ["enum", "const", "oneOf", "x-modelcast-open", "x-modelcast-names"]
    static let ofObject: Set = ["properties", "required", "additionalProperties", "unevaluatedProperties"]
    static let ofOneOf: Set = ["oneOf", "discriminator"]
    static let ofFile: Set = ["$defs", "definitions", "x-modelcast-access", "x-modelcast-name"]

    /// The message for a keyword that has no form in Swift, or no meaning in this place.
    static func advice(_ keyword: String) -> String {
        switch keyword {
        case "allOf": "allOf has no form in Swift: write the properties of all parts into one object"
        case "anyOf": "anyOf does not say which of several it is: use oneOf, with a title for each"
        case "not": "not has no form in Swift: say what the value is, or take it out"
        case "if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies":
            "\(keyword) looks at several fields at once, and each is checked for itself: take it out, and check "
                + "where the model is made"
        case "patternProperties", "propertyNames":
            "\(keyword) has no form in Swift: name the properties, or use additionalProperties for a dictionary"
        case "prefixItems": "a tuple has no form on the wire: use an object with a property for each element"
        case "pattern", "multipleOf", "uniqueItems", "contains", "minContains", "maxContains":
            "there is no check for \(keyword): take it out, and check where the model is made"
        case "$defs", "definitions": "\(keyword) stands at the root of a file: move it there"
        case "$dynamicRef", "$recursiveRef", "$dynamicAnchor":
            "\(keyword) has no form in Swift: use $ref to a file or into $defs"
        case "contentSchema": "contentSchema has no form in Swift: take it out"
        default:
            if keyword.hasPrefix("x-modelcast-") {
                "\(keyword) means nothing here: see the table of modelcast generate, or take it out"
            } else {
                "\(keyword) means nothing here: take it out, or put x- before a keyword of your own"
            }
        }
    }
}

extension ProblemCollector {
    /// Reports the keywords that have no meaning in this place, and those whose value is not of their kind.
    func checkKeywords(of node: SchemaNode, _ allowed: Set<String>) {
        for key in node.object.keys {
            let isOwn = key.hasPrefix("x-") && !key.hasPrefix("x-modelcast-")
            if isOwn || Keywords.annotations.contains(key) || allowed.contains(key) { continue }
            // An unsupported keyword that asks for nothing is no problem.
            if key == "uniqueItems", node.object[key] == .bool(false) { continue }
            report(Keywords.advice(key), at: node, key)
        }
        checkForms(of: node)
    }

    /// Reports keywords whose value is not of their kind.
    private func checkForms(of node: SchemaNode) {
        let flags = ["nullable", "x-modelcast-id", "x-modelcast-constant", "x-modelcast-open"]
        for key in flags where node.object[key].map({ $0.bool == nil }) == true {
            report("\(key) is true or false, not \(node.object[key]?.kind ?? "")", at: node, key)
        }
        let texts = [
            "title", "description", "format", "x-modelcast-name", "x-modelcast-type", "x-modelcast-access",
            "x-modelcast-reference",
        ]
        for key in texts where node.object[key].map({ $0.text == nil }) == true {
            report("\(key) is a text, not \(node.object[key]?.kind ?? "")", at: node, key)
        }
    }
}
