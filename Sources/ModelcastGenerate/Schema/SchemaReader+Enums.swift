/// Enums with raw values, and sum types.
extension SchemaReader {
    /// The enum with raw values of an `enum`, of a `const`, or of `oneOf` constants, which may have descriptions.
    func enumeration(_ node: SchemaNode, _ name: String) -> EnumShape? {
        let isRoot = node.pointer.tokens.isEmpty
        check(node, Keywords.ofEnum.union(isRoot ? Keywords.ofFile : []))
        var values: [(node: SchemaNode, place: SchemaNode)] = []
        if node["oneOf"] != nil {
            values = node.variants.compactMap { variant in
                findings.checkKeywords(of: variant, ["const", "type", "x-modelcast-name"])
                return variant["const"].map { ($0, variant) }
            }
        } else {
            values = (node["enum"]?.elements ?? node["const"].map { [$0] } ?? []).filter { $0.value != .null }
                .map { ($0, $0) }
        }
        let isInteger = !values.isEmpty && values.allSatisfy { $0.node.value.integer != nil }
        guard isInteger || !values.isEmpty && values.allSatisfy({ $0.node.value.text != nil }) else {
            findings.report(
                "the values of an enum are texts, or integers with x-modelcast-names: correct them", at: node)
            return nil
        }
        guard node.types.isEmpty || node.types == [isInteger ? "integer" : "string"] else {
            findings.report("its values are not of this type: correct one of the two", at: node, "type")
            return nil
        }
        let names = node["x-modelcast-names"]
        checkNames(names, values.map { $0.node.value.enumText })
        var shape = EnumShape(
            name: name, rawType: isInteger ? "Int" : "String", documentation: node.text("description"))
        for (value, place) in values {
            let text = value.value.enumText
            let own = place.text("x-modelcast-name") ?? names?.text(text)
            let raw = value.value.integer.map { JSON.number(String($0)) } ?? value.value
            guard var name = caseName(own, of: text, at: value) else { return nil }
            if leniency != nil {
                // Twice the same value is one case.
                if shape.cases.contains(where: { $0.raw == raw }) { continue }
                name = SwiftName.free(name) { free in !shape.cases.contains { $0.name == free } }
            }
            if let other = shape.cases.first(where: { $0.name == name }) {
                findings.report(
                    "\(text.literal) and \(other.raw.enumText.literal) are both called \(name): give one another name "
                        + "with x-modelcast-names", at: value)
                return nil
            }
            shape.cases.append(EnumShape.Case(name: name, raw: raw, documentation: place.text("description")))
        }
        return shape
    }

    private func checkNames(_ names: SchemaNode?, _ values: [String]) {
        guard let names else { return }
        if names.value.object == nil {
            findings.report("x-modelcast-names is an object: {\"value\": \"name\"}", at: names)
        }
        for key in names.object.keys where !values.contains(key) {
            findings.report("there is no value \(key.literal): correct it, or take it out", at: names, key)
        }
    }

    private func caseName(_ own: String?, of text: String, at node: SchemaNode) -> String? {
        if let own {
            if SwiftName.isIdentifier(own), !SwiftName.impossible.contains(own) { return own }
            findings.report("\(own.literal) is no name of a case in Swift", at: node)
            return nil
        }
        if let name = SwiftName.lowerCamel(text), !SwiftName.impossible.contains(name) { return name }
        if leniency != nil { return SwiftName.anyLowerCamel(text, "value") }
        findings.report("no name comes of \(text.literal): give it one with x-modelcast-names", at: node)
        return nil
    }

    // MARK: Sum types

    func oneOf(_ node: SchemaNode, _ scope: Scope) -> OneOfShape? {
        let isRoot = node.pointer.tokens.isEmpty
        check(node, Keywords.ofOneOf.union(isRoot ? Keywords.ofFile : []))
        var shape = OneOfShape(name: scope.owner, documentation: node.text("description"))
        let tag = tag(of: node)
        shape.tag = tag
        if tag != nil {
            shape.texts = node.variants.compactMap(target(of:)).filter(\.isConstantText)
                .compactMap { $0.text("const") }
        }
        var isWhole = true
        for variant in node.variants {
            guard var element = element(variant, tag, scope) else {
                isWhole = false
                continue
            }
            if leniency != nil {
                element.name = SwiftName.free(element.name) { name in !shape.cases.contains { $0.name == name } }
                // The name on the wire of a case with a tag is what the tag says.
                if tag == nil { element.wireName = element.name }
            }
            if shape.cases.contains(where: { $0.name == element.name || $0.wireName == element.wireName }) {
                findings.report(
                    "another variant is called \(element.name) already: give this one another title", at: variant)
                isWhole = false
            }
            shape.cases.append(element)
        }
        shape.nested = scope.nested
        return isWhole ? shape : nil
    }

    private func element(_ variant: SchemaNode, _ tag: String?, _ scope: Scope) -> OneOfShape.Case? {
        guard let target = target(of: variant), let wireName = wireName(variant, target, tag) else { return nil }
        let name: String
        if let own = variant.text("x-modelcast-name") {
            guard SwiftName.isIdentifier(own), !SwiftName.impossible.contains(own) else {
                findings.report("\(own.literal) is no name of a case in Swift", at: variant, "x-modelcast-name")
                return nil
            }
            name = own
        } else if let made = SwiftName.lowerCamel(wireName), !SwiftName.impossible.contains(made) {
            name = made
        } else {
            findings.report(
                "no name of a case comes of \(wireName.literal): give it one with x-modelcast-name", at: variant)
            return nil
        }
        guard let payload = payload(variant, target, name, tag, scope) else { return nil }
        let documentation = variant.text("description") ?? (payload == nil ? target.text("description") : nil)
        return OneOfShape.Case(name: name, wireName: wireName, payload: payload, documentation: documentation)
    }

    /// The name of a variant on the wire, which the field of the group holds.
    private func wireName(_ variant: SchemaNode, _ target: SchemaNode, _ tag: String?) -> String? {
        let definition = definition(of: target)
        if let tag, target["properties"] != nil, definition?.kind != .model {
            if let text = target["properties"]?[tag]?.text("const") { return text }
            findings.report("this variant has no const \(tag) that tells it apart: give it one", at: variant)
            return nil
        }
        if target.isConstantText, let text = target.text("const") { return text }
        let title = variant.text("title") ?? target.text("title") ?? definition?.name
        if let name = variant.text("x-modelcast-name") ?? title.flatMap(SwiftName.lowerCamel) { return name }
        if leniency != nil { return target.types.first.map { $0 == "string" ? "text" : $0 } ?? "anything" }
        findings.report(
            "nothing says what this variant is called: give it a title, or objects a const each", at: variant)
        return nil
    }

    /// The type of a variant's payload.
    /// - Returns: nil after a problem, which is reported; an inner nil for a case without a payload.
    private func payload(
        _ variant: SchemaNode, _ target: SchemaNode, _ name: String, _ tag: String?, _ scope: Scope
    ) -> SwiftType?? {
        if target.isConstantText {
            findings.checkKeywords(of: variant, ["const", "type", "$ref", "x-modelcast-name"])
            return .some(nil)
        }
        if variant["$ref"] != nil, isEmptyVariant(target) { return .some(nil) }
        let typeName = name.prefix(1).uppercased() + name.dropFirst()
        if variant["$ref"] == nil, target["properties"] != nil, definition(of: variant) == nil {
            let tags: Set<String> = tag.map { [$0] } ?? []
            let keys = target["properties"]?.object.keys ?? []
            if !keys.isEmpty, keys.allSatisfy(tags.contains) {
                check(target, Keywords.ofObject)
                return .some(nil)
            }
            guard let name = inlineName(variant, typeName, scope),
                var shape = structure(target, scope.inner(name), isModel: false, without: tags)
            else { return nil }
            shape.documentation = nil
            scope.declare(.structure(shape))
            return .group(name)
        }
        guard let reading = type(of: variant, typeName, scope) else { return nil }
        return plainPayload(reading, variant)
    }

    /// The type of a payload that is no inline object. Such a payload has no `@Field`, so bounds, defaults and
    /// conversions are problems.
    private func plainPayload(_ reading: TypeReading, _ variant: SchemaNode) -> SwiftType?? {
        let fault: String? =
            if reading.isNullable, reading.type != .value {
                "a variant is never null: take null out, and give oneOf another variant for it"
            } else if reading.type.hasDate {
                "a date has no form of its own in a variant"
            } else if !reading.rules.isEmpty || reading.constant != nil {
                "a variant that is no object is not checked"
            } else if reading.defaultValue != nil {
                "a variant has no default"
            } else {
                nil
            }
        guard let fault else { return reading.type }
        if leniency != nil, reading.isNullable == false, !reading.type.hasDate {
            findings.report(fault, at: variant)
            return reading.type
        }
        let advice = reading.isNullable ? "" : ": put it into an object, as a property"
        findings.report(fault + advice, at: variant)
        return nil
    }
}

extension JSON {
    /// A value of an enum as text.
    fileprivate var enumText: String { text ?? integer.map(String.init) ?? "" }
}

extension SwiftType {
    /// True when the type has a date, at any depth.
    fileprivate var hasDate: Bool { conversion?.contains(".iso8601") == true || hasLostDate }
}
