/// The keywords of schemas, by the place where they have a meaning.
enum Keywords {
    /// Annotations: they do not change what is valid.
    static let annotations: Set = [
        "$schema", "$id", "$comment", "$anchor", "$vocabulary", "title", "description", "examples", "example",
        "deprecated", "readOnly", "writeOnly", "contentMediaType", "externalDocs", "$defs", "definitions",
    ]
    /// The keywords whose values are no schemas.
    static let ofData: Set = ["enum", "const", "default", "example", "examples"]
    /// The keywords in the place of a schema that say nothing of what it is.
    static let ofPlace: Set = [
        "properties", "patternProperties", "$defs", "definitions", "items", "additionalProperties", "oneOf", "anyOf",
        "allOf",
    ]
    /// The keywords whose values are objects of schemas.
    static let ofSchemas: Set = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
    /// The keywords by which a schema speaks of itself alone, and not of what it is a part of.
    static let ofOneSchema: Set = [
        "$schema", "$id", "id", "$comment", "$anchor", "$defs", "definitions", "title", "x-modelcast-name",
        "x-modelcast-type", "x-modelcast-access", "x-modelcast-imports",
    ]
    /// The keywords beside an `allOf` of one, which leave that one a type of its own.
    static let besideAlias = annotations.union(anywhere).union(ofProperty).union(["allOf"])
    /// The keywords of a schema in any place.
    static let anywhere: Set = ["type", "nullable", "default"]
    /// The further keywords of a property of a struct.
    static let ofProperty: Set = ["x-modelcast-name", "x-modelcast-id", "x-modelcast-constant"]

    static let ofText: Set = ["format", "minLength", "maxLength", "pattern", "contentEncoding"]
    static let ofNumber: Set = [
        "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    ]
    static let ofArray: Set = ["items", "minItems", "maxItems", "uniqueItems"]
    static let ofDictionary: Set = ["additionalProperties", "minProperties", "maxProperties"]
    static let ofEnum: Set = ["enum", "const", "oneOf", "x-modelcast-open", "x-modelcast-names"]
    static let ofObject: Set = ["properties", "required", "additionalProperties", "unevaluatedProperties"]
    static let ofOneOf: Set = ["oneOf", "discriminator"]
    static let ofFile: Set = ["x-modelcast-access", "x-modelcast-name", "x-modelcast-imports"]

    /// The message for a keyword that has no form in Swift, or no meaning in this place.
    static func advice(_ keyword: String) -> String {
        switch keyword {
        case "allOf": "allOf has no parts, or stands beside what it cannot be joined with: take it out"
        case "anyOf": "anyOf does not say which of several it is: use oneOf, with a title for each"
        case "not": "not has no form in Swift: say what the value is, or take it out"
        case "if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies":
            "\(keyword) looks at several fields at once, and each is checked for itself: take it out, and check "
                + "where the model is made"
        case "patternProperties", "propertyNames":
            "\(keyword) has no form in Swift: name the properties, or use additionalProperties for a dictionary"
        case "prefixItems": "a tuple has no form on the wire: use an object with a property for each element"
        case "contains", "minContains", "maxContains":
            "there is no check for \(keyword): take it out, and check where the model is made"
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
            // The name of a schema in old drafts.
            if key == "id", node.text("id") != nil { continue }
            report(Keywords.advice(key), at: node, key)
        }
        checkForms(of: node)
    }

    /// Reports keywords whose value is not of their kind.
    private func checkForms(of node: SchemaNode) {
        let flags = ["nullable", "uniqueItems", "x-modelcast-id", "x-modelcast-constant", "x-modelcast-open"]
        for key in flags where node.object[key].map({ $0.bool == nil }) == true {
            report("\(key) is true or false, not \(node.object[key]?.kind ?? "")", at: node, key)
        }
        let texts = [
            "title", "description", "format", "pattern", "x-modelcast-name", "x-modelcast-type",
            "x-modelcast-access", "x-modelcast-reference", "x-modelcast-swift", "x-modelcast-convert",
        ]
        for key in texts where node.object[key].map({ $0.text == nil }) == true {
            report("\(key) is a text, not \(node.object[key]?.kind ?? "")", at: node, key)
        }
    }
}
