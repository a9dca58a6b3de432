/// `allOf`: the parts of a schema, made one.
extension SchemaReader {
    /// The schema with the parts of its `allOf` in itself, and with what it refers to where it adds properties to that;
    /// the schema itself where there is neither.
    ///
    /// A keyword that stands in several parts holds as all of them say: properties and required names are joined, and
    /// bounds are the narrower ones. Names, descriptions and definitions are those of the schema itself.
    func merged(_ node: SchemaNode) -> SchemaNode {
        let isExtended = node["$ref"] != nil && node["properties"] != nil
        guard node.wrapped == nil, node["allOf"]?.value.array?.isEmpty == false || isExtended else { return node }
        if let known = mergedNodes[node.key] { return known }
        guard merging.insert(node.key).inserted else {
            findings.report("this is made of itself, without end: take it out", at: node)
            return node.without(["allOf", "$ref"])
        }
        defer { merging.remove(node.key) }
        var parts = [node.without(["allOf", "$ref"])]
        for part in (isExtended ? [node.only("$ref")] : []) + (node["allOf"]?.elements ?? []) {
            if part["$ref"] == nil {
                parts.append(merged(part))
            } else if let target = target(of: part) {
                parts += [part.without(["$ref"]), target]
            }
        }
        let result = joined(parts, at: node)
        mergedNodes[node.key] = result
        return result
    }

    /// One schema of several, the first of which gives its name.
    private func joined(_ schemas: [SchemaNode], at place: SchemaNode) -> SchemaNode {
        var keys: [String] = []
        var parts: [String: SchemaNode] = [:]
        for (number, schema) in schemas.enumerated() {
            for (key, member) in schema.members {
                if number > 0, Keywords.ofOneSchema.contains(key) { continue }
                if let other = parts[key] {
                    parts[key] = both(other, member, key)
                } else {
                    keys.append(key)
                    parts[key] = member
                }
            }
        }
        return SchemaNode(keys.compactMap { key in parts[key].map { (key, $0) } }, at: place)
    }

    /// The value of a keyword that asks for all that two values of it ask for.
    private func both(_ one: SchemaNode, _ other: SchemaNode, _ keyword: String) -> SchemaNode {
        if one.value == other.value { return one }
        switch keyword {
        case "properties", "patternProperties":
            var members = one.members
            for (key, member) in other.members {
                if let place = members.firstIndex(where: { $0.key == key }) {
                    members[place].node = joined([members[place].node, member], at: members[place].node)
                } else {
                    members.append((key, member))
                }
            }
            return SchemaNode(members, at: one)
        case "required":
            return one.withElements(
                one.elements + other.elements.filter { !one.elements.map(\.value).contains($0.value) })
        case "enum": return one.withElements(one.elements.filter { other.elements.map(\.value).contains($0.value) })
        case "type":
            let (types, others) = (one.allTypes, other.allTypes)
            if others == ["number"], types == ["integer"] { return one }
            if others == ["integer"], types == ["number"] { return other }
            let common = types.filter(others.contains)
            if !common.isEmpty {
                return one.withElements(one.elementsOfType.filter { common.contains($0.value.text ?? "") })
            }
        case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
            if let low = one.value.double, let high = other.value.double { return low >= high ? one : other }
        case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
            if let low = one.value.double, let high = other.value.double { return low <= high ? one : other }
        case "description", "title", "additionalProperties", "unevaluatedProperties": return one
        case "nullable": return one.value == .bool(false) ? one : other
        default: break
        }
        findings.report("another part of allOf says something else of \(keyword): take one of the two out", at: other)
        return one
    }
}

extension SchemaNode {
    /// An object of members that stand in several places.
    fileprivate init(_ members: [(key: String, node: SchemaNode)], at place: SchemaNode) {
        var object = JSONObject()
        for (key, node) in members { object.append(key, node.value) }
        self.init(
            file: place.file, pointer: place.pointer, value: .object(object),
            parts: Dictionary(members.map { ($0.key, $0.node) }) { first, _ in first })
    }

    fileprivate func withElements(_ elements: [SchemaNode]) -> SchemaNode {
        SchemaNode(
            file: file, pointer: pointer, value: .array(elements.map(\.value)),
            parts: Dictionary(uniqueKeysWithValues: elements.enumerated().map { ("\($0)", $1) }))
    }

    fileprivate func only(_ key: String) -> SchemaNode { without(Set(object.keys).subtracting([key])) }

    /// The value of `type` as an array.
    fileprivate var elementsOfType: [SchemaNode] { value.array == nil ? [self] : elements }
    fileprivate var allTypes: [String] { elementsOfType.compactMap(\.value.text) }
}
