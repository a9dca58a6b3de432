/// The result of reading the schema of a property, an element or a payload.
struct TypeReading {
    var type: SwiftType
    var isNullable = false
    var rules: [Rule] = []
    /// The default, at its place in the schema.
    var defaultValue: SchemaNode?
    /// The one value that the schema allows, at its place.
    var constant: SchemaNode?
    var documentation: String?
    /// The type is a sum type.
    var isOneOf = false
}

extension SchemaReader {
    /// Reads the schema of a property, an element or a payload.
    /// - Parameters:
    ///   - name: the name of a type that is declared here, unless its title gives another.
    ///   - scope: the scope in which that type is declared.
    /// - Returns: nil after a problem, which is reported.
    func type(of node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        if leniency?.isAnyValue(node) ?? false {
            return TypeReading(type: .value, isNullable: true, documentation: node.text("description"))
        }
        if node.value == .bool(true) { return TypeReading(type: .value, isNullable: true) }
        if definition(of: node) != nil { return reading(of: merged(node), at: node, name, scope) }
        // An alias that stands for itself, or a variant that takes over all variants of what it is one of.
        guard open.insert(node.key).inserted else {
            findings.report("this is made of itself, without end: give it a type", at: node)
            return nil
        }
        defer { open.remove(node.key) }
        let node = merged(node)
        guard node.value.object != nil else {
            findings.report("a schema is an object, or true for anything, not \(node.value.kind)", at: node)
            return nil
        }
        guard var reading = form(of: node, name, scope) else { return nil }
        reading.isNullable = reading.isNullable || node.allowsNull
        reading.documentation = node.text("description") ?? reading.documentation
        reading.defaultValue = node["default"] ?? reading.defaultValue
        return reading
    }

    private func form(of node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        if node["x-modelcast-swift"] != nil { return ownType(node) }
        if node["$ref"] != nil { return reference(node, name, scope) }
        if node["x-modelcast-reference"] != nil { return modelReference(node) }
        if let (keyword, only) = node.wrapped {
            check(node, [keyword])
            return type(of: only, name, scope)
        }
        if let widest = node.widest {
            check(node, ["oneOf", "anyOf"])
            return type(of: widest, name, scope)
        }
        if node["oneOf"] != nil { return variants(node, name, scope) }
        if node["const"] != nil { return constant(node, name, scope) }
        if node["enum"] != nil { return inlineEnumeration(node, name, scope) }
        if node["properties"] != nil { return inlineStructure(node, name, scope) }
        let types = node.types
        switch types.count {
        case 0:
            check(node, [])
            if node.object["type"] != nil {
                findings.report("a value that can only be null says nothing: give it a type, or take it out", at: node)
                return nil
            }
            return TypeReading(type: .value, isNullable: true)
        case 1: return plain(node, types[0], name, scope)
        default:
            findings.report(
                "\(types.joined(separator: " or ")): a property has one type; use oneOf, with a title for each",
                at: node, "type")
            return nil
        }
    }

    func check(_ node: SchemaNode, _ keywords: Set<String>) {
        findings.checkKeywords(of: node, keywords.union(Keywords.anywhere).union(Keywords.ofProperty))
    }

    private func plain(_ node: SchemaNode, _ type: String, _ name: String, _ scope: Scope) -> TypeReading? {
        switch type {
        case "string": return text(node)
        case "integer":
            check(node, Keywords.ofNumber)
            let widths = ["int32": "Int32", "int64": "Int64"]
            let type = SwiftType.plain(widths[node.text("format") ?? ""] ?? "Int")
            return TypeReading(type: type, rules: numberRules(node, type) + multipleRules(node, type))
        case "number":
            check(node, Keywords.ofNumber)
            let type = SwiftType.plain(node.text("format") == "float" ? "Float" : "Double")
            return TypeReading(type: type, rules: numberRules(node, type) + multipleRules(node, type))
        case "boolean":
            check(node, [])
            return TypeReading(type: .plain("Bool"))
        case "array": return array(node, name, scope)
        case "object": return dictionary(node, name, scope)
        default:
            findings.report(
                "\(type.literal) is no type: object, string, integer, number, boolean, array or null", at: node, "type")
            return nil
        }
    }

    private func text(_ node: SchemaNode) -> TypeReading? {
        check(node, Keywords.ofText)
        let type: SwiftType =
            switch node.text("format") {
            case "date-time": .date
            case "uri": .url
            case "uuid": .uuid
            case "byte": .data
            default: node["contentEncoding"] == nil ? .plain("String") : .data
            }
        if let encoding = node["contentEncoding"], encoding.value != .text("base64") {
            findings.report("bytes are base64 in JSON: say so, or take it out", at: encoding)
        }
        let rules = lengthRules(node) + patternRules(node)
        if type == .date || type == .data,
            let key = ["minLength", "maxLength", "pattern"].first(where: { node[$0] != nil })
        {
            findings.report("\(key) looks at characters, which a \(type.text) has none of: take it out", at: node, key)
            return leniency == nil ? nil : TypeReading(type: type)
        }
        return TypeReading(type: type, rules: rules)
    }

    private func array(_ node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        check(node, Keywords.ofArray)
        let counts = countRules(node, "minItems", "maxItems") + (node.flag("uniqueItems") ? [.unique] : [])
        guard let items = node["items"] else { return TypeReading(type: .array(.value), rules: counts) }
        guard let element = part(items, name + "Item", scope, "an element of an array") else { return nil }
        let each = element.rules.isEmpty ? [] : [Rule.each(element.rules)]
        return TypeReading(type: .array(element.type), rules: counts + each)
    }

    private func dictionary(_ node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        check(node, Keywords.ofDictionary)
        let counts = countRules(node, "minProperties", "maxProperties")
        guard let values = node["additionalProperties"] ?? patternValues(node) else {
            return TypeReading(type: .dictionary(.value), rules: counts)
        }
        if values.value == .bool(false), let values = patternValues(node) {
            let value = part(values, name + "Value", scope, "a value of a dictionary")
            return value.map { TypeReading(type: .dictionary($0.type), rules: counts) }
        }
        if values.value == .bool(false) {
            findings.report("an object without properties says nothing: declare some, or take it out", at: values)
            return nil
        }
        guard let value = part(values, name + "Value", scope, "a value of a dictionary") else { return nil }
        let each = value.rules.isEmpty ? [] : [Rule.each(value.rules)]
        return TypeReading(type: .dictionary(value.type), rules: counts + each)
    }

    /// The only schema of `patternProperties`, in a lenient run, which does not look at the names.
    private func patternValues(_ node: SchemaNode) -> SchemaNode? {
        guard leniency != nil, let members = node["patternProperties"]?.members, members.count == 1 else { return nil }
        return members[0].node
    }

    /// Reads the schema of the elements of an array or a dictionary. Each is one value, also where it is a struct.
    private func part(_ node: SchemaNode, _ name: String, _ scope: Scope, _ what: String) -> TypeReading? {
        orAnyValue(node) { wholePart(node, name, scope, what) }
    }

    private func wholePart(_ node: SchemaNode, _ name: String, _ scope: Scope, _ what: String) -> TypeReading? {
        partDepth += 1
        defer { partDepth -= 1 }
        guard var reading = type(of: node, name, scope) else { return nil }
        if reading.isOneOf {
            findings.report(
                "\(what) is one value, and oneOf is several fields: put it into an object, as a property; or say {} "
                    + "for any value", at: node)
            return nil
        }
        if case .group(let name) = reading.type {
            if topLevelNames.contains(name) { valueNames.insert(name) } else { scope.makeValue(name) }
        }
        if reading.defaultValue != nil || reading.constant != nil {
            let key = reading.constant == nil ? "default" : "const"
            findings.report("\(what) has no \(key): take it out", at: node, key)
            guard leniency != nil else { return nil }
        }
        guard reading.isNullable, reading.type != .value else { return reading }
        if !reading.rules.isEmpty {
            findings.report("\(what) that may be null is not checked: take the bounds out, or null", at: node)
            guard leniency != nil else { return nil }
            reading.rules = []
        }
        reading.type = .optional(reading.type)
        return reading
    }

    // MARK: References

    private func reference(_ node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        findings.checkKeywords(
            of: node, Keywords.ofProperty.union(["$ref", "nullable", "default", "x-modelcast-open"]))
        guard let text = node.text("$ref") else {
            findings.report("$ref is a text", at: node, "$ref")
            return nil
        }
        return resolve(text, at: node).flatMap { reading(of: $0, at: node, name, scope) }
    }

    /// Reads a use of a schema that stands elsewhere, or that is referred to from elsewhere.
    private func reading(of target: SchemaNode, at node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        guard let definition = definition(of: target) else { return alias(target, of: node, name, scope) }
        var reading = TypeReading(
            type: .group(definition.name), isNullable: target.allowsNull, defaultValue: target["default"])
        switch definition.kind {
        case .model: reading = TypeReading(type: .reference(definition.name))
        case .enumeration:
            guard let shape = enumeration(target, definition.name) else { return nil }
            let isOpen = node.flag("x-modelcast-open") || target.flag("x-modelcast-open")
            reading.type = .enumeration(shape, isOpen: isOpen)
            if target["const"] != nil { reading.constant = target["const"] }
        case .group, .oneOf: noteUse(of: target.key, by: scope.root, at: node)
        }
        reading.isOneOf = definition.kind == .oneOf
        if node.flag("x-modelcast-open"), definition.kind != .enumeration {
            findings.report("only an enum is open: take it out", at: node, "x-modelcast-open")
        }
        return reading
    }

    /// Reads a definition that declares nothing and stands for another type.
    private func alias(_ target: SchemaNode, of node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        guard !open.contains(target.key) else {
            findings.report("this is made of itself, without end: give it a type", at: node, "$ref")
            return nil
        }
        return type(of: target, name, scope)
    }

    /// Reads a property of a type of the user's own, which `x-modelcast-swift` names.
    private func ownType(_ node: SchemaNode) -> TypeReading? {
        guard let text = node.text("x-modelcast-swift"),
            text.wholeMatch(of: /[\p{L}_\[][\p{L}\p{N}_.<>, \[\]:?]*/) != nil
        else {
            findings.report("this is no type of Swift: name one that is a FieldValue", at: node, "x-modelcast-swift")
            return nil
        }
        return TypeReading(type: .own(text, conversion: node.text("x-modelcast-convert")))
    }

    /// Reads an id of another model, which `x-modelcast-reference` names.
    private func modelReference(_ node: SchemaNode) -> TypeReading? {
        check(node, Keywords.ofText.union(["x-modelcast-reference"]))
        guard let text = node.text("x-modelcast-reference"),
            let target = resolve(text, at: node, "x-modelcast-reference")
        else { return nil }
        guard let definition = definition(of: target), definition.kind == .model else {
            findings.report("\(text) is no model: name a file whose root has an id", at: node, "x-modelcast-reference")
            return nil
        }
        return TypeReading(type: .reference(definition.name))
    }

    // MARK: Types that are declared where they are used

    /// The name of an inline type: its title, or `name`, which its place gives; nil after a problem, which is reported.
    func inlineName(_ node: SchemaNode, _ name: String, _ scope: Scope) -> String? {
        var chosen = name
        if let title = node.text("title"), let own = SwiftName.upperCamel(title) {
            chosen = own
        } else if SwiftName.takenTypes.contains(name) {
            chosen = scope.owner + name
        }
        if leniency != nil {
            let name = SwiftName.free(chosen) {
                !SwiftName.takenTypes.contains($0) && !topLevelNames.contains($0) && !scope.has($0)
            }
            return scope.take(name) ? name : nil
        }
        if SwiftName.takenTypes.contains(chosen) || topLevelNames.contains(chosen) || !scope.take(chosen) {
            findings.report("\(chosen) is a type already: give this one another name with title", at: node)
            return nil
        }
        return chosen
    }

    private func inlineEnumeration(_ node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        guard let name = inlineName(node, name, scope), var shape = enumeration(node, name) else { return nil }
        // The description documents the property, not the type.
        shape.documentation = nil
        scope.declare(.enumeration(shape))
        let type = SwiftType.enumeration(shape, isOpen: node.flag("x-modelcast-open"))
        return TypeReading(type: type, constant: node["const"])
    }

    private func inlineStructure(_ node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        guard let name = inlineName(node, name, scope) else { return nil }
        guard var shape = structure(node, scope.inner(name), isModel: false) else { return nil }
        shape.documentation = nil
        scope.declare(.structure(shape))
        return TypeReading(type: .group(name))
    }

    private func variants(_ node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        let variants = node.variants
        if variants.isEmpty {
            findings.report("oneOf has no variants: give it some", at: node, "oneOf")
            return nil
        }
        if variants.allSatisfy(\.isConstantText) { return inlineEnumeration(node, name, scope) }
        guard let name = inlineName(node, name, scope), var shape = oneOf(node, scope.inner(name)) else { return nil }
        shape.documentation = nil
        scope.declare(.oneOf(shape))
        return TypeReading(type: .group(name), isOneOf: true)
    }

    private func constant(_ node: SchemaNode, _ name: String, _ scope: Scope) -> TypeReading? {
        switch node.object["const"] {
        case .text: return inlineEnumeration(node, name, scope)
        case .bool(let bool):
            check(node, ["const"])
            return TypeReading(type: .plain("Bool"), rules: [.equal("\(bool)")], constant: node["const"])
        case .number(let text):
            check(node, ["const"])
            let isWhole = node.object["const"]?.integer != nil && node.types != ["number"]
            let number = isWhole ? node.object["const"]?.integer.map(String.init) ?? text : text
            return TypeReading(
                type: .plain(isWhole ? "Int" : "Double"), rules: [.equal(number)], constant: node["const"])
        default:
            findings.report("a constant is a text, a number or a Boolean: take it out", at: node, "const")
            return nil
        }
    }
}

extension SchemaNode {
    /// The variant of `oneOf` or `anyOf` that allows all that the others do, null apart: `any text` beside texts of a
    /// list or a pattern, as lists are written that may grow. Nil where there is none.
    fileprivate var widest: SchemaNode? {
        let variants = (self["oneOf"] ?? self["anyOf"])?.elements.filter { $0.object["type"] != .text("null") } ?? []
        guard self["properties"] == nil, variants.count > 1 else { return nil }
        return variants.first { widest in
            guard let type = widest.types.first, widest.types.count == 1, !["object", "array"].contains(type),
                widest.object.keys.allSatisfy({ $0 == "type" || Keywords.annotations.contains($0) })
            else { return false }
            return variants.allSatisfy { $0.kinds == [type] || type == "number" && $0.kinds == ["integer"] }
        }
    }

    /// The types of what the schema allows, as far as it says so itself.
    private var kinds: Set<String> {
        if !types.isEmpty { return Set(types) }
        let values = self["enum"]?.elements ?? self["const"].map { [$0] } ?? []
        return Set(values.map { $0.value.text != nil ? "string" : $0.value.kind })
    }
}
