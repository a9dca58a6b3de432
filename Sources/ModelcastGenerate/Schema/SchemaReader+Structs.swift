/// Models and nested structs.
extension SchemaReader {
    /// The shape of a model or a nested struct; nil after a problem, which is reported.
    /// - Parameter tags: properties to leave out, besides the tags of variants that are referred to.
    func structure(
        _ node: SchemaNode, _ scope: Scope, isModel: Bool, without tags: Set<String> = []
    ) -> StructShape? {
        checkKeywords(ofStructure: node, isModel: isModel)
        let tags = tags.union(self.tags[node.key] ?? [])
        let required = requiredKeys(node)
        var shape = StructShape(name: scope.owner, documentation: node.text("description"))
        if isModel { shape.wireType = wireType(node, scope.owner) }
        let idKey = isModel ? node.idKey : nil
        var owners: [String: String] = [:]
        let all = (node["properties"]?.members ?? []).filter { isField($0.key, $0.node) }
        // The id stands first.
        let members = all.filter { $0.key == idKey } + all.filter { $0.key != idKey && !tags.contains($0.key) }
        for (key, schema) in members {
            let place = PropertyPlace(
                key: key, isRequired: required.contains(key), isID: key == idKey, isOfModel: isModel)
            guard var property = orAnyValue(schema, { property(schema, place, scope) }) else {
                if place.isID { leniency?.takeAsNoModel(node.key) }
                continue
            }
            if leniency != nil { property.name = SwiftName.free(property.name) { owners[$0] == nil } }
            if let other = owners.updateValue(key, forKey: property.name) {
                findings.report(
                    "\(key.literal) and \(other.literal) are both called \(property.name): give one another name with "
                        + "x-modelcast-name", at: schema)
            }
            shape.properties.append(property)
        }
        if members.isEmpty {
            findings.report(
                "an object without properties says nothing: declare one, or take properties out for a dictionary",
                at: node, "properties")
        }
        shape.nested = scope.nested
        return shape.properties.count == members.count && !members.isEmpty ? shape : nil
    }

    private func checkKeywords(ofStructure node: SchemaNode, isModel: Bool) {
        var keywords = Keywords.ofObject.union(Keywords.anywhere)
        if node.pointer.tokens.isEmpty {
            keywords.formUnion(Keywords.ofFile)
        } else if definition(of: node) != nil {
            keywords.insert("x-modelcast-name")
        } else {
            keywords.formUnion(Keywords.ofProperty)
        }
        if isModel {
            keywords.insert("x-modelcast-type")
            keywords.subtract(["nullable", "default"])
        }
        findings.checkKeywords(of: node, keywords)
        if node.types != ["object"], !node.types.isEmpty {
            findings.report("what has properties is an object: correct the type", at: node, "type")
        }
        if let more = node["additionalProperties"], more.value.bool == nil {
            findings.report(
                "an object has properties of its own, or is a dictionary: give it a property for the others",
                at: more)
        }
    }

    private func requiredKeys(_ node: SchemaNode) -> Set<String> {
        guard let required = node["required"] else { return [] }
        let keys = Set(node["properties"]?.object.keys ?? [])
        for element in required.elements where element.value.text.map(keys.contains) != true {
            findings.report("there is no such property: declare it, or take it out", at: element)
        }
        if required.value.array == nil { findings.report("required is an array of names", at: required) }
        return Set(required.elements.compactMap(\.value.text))
    }

    private func wireType(_ node: SchemaNode, _ name: String) -> String {
        let type = node.text("x-modelcast-type") ?? name
        if leniency != nil, !type.utf8.allSatisfy({ $0 < 0x80 }) || type.utf8.count > 64 {
            return "Model\(String(type.utf8.reduce(5381) { ($0 &* 33) ^ Int($1) }, radix: 36).drop { $0 == "-" })"
        }
        if type.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_.\-]{0,63}/) == nil {
            findings.report(
                "\(type.literal) cannot be the name of a type on the wire: 1 to 64 of A-Z, a-z, 0-9, '_', '.' and "
                    + "'-', the first a letter or '_'", at: node, "x-modelcast-type")
        }
        return type
    }

    // MARK: Properties

    /// Whether a key can be the name of a field. A lenient run leaves out what cannot.
    private func isField(_ key: String, _ node: SchemaNode) -> Bool {
        guard leniency != nil, key.isEmpty || key.utf8.count > 128 || key.contains(".") else { return true }
        findings.report("no field can have this name: left out", at: node)
        return false
    }

    /// A property as its struct sees it.
    private struct PropertyPlace {
        let key: String
        let isRequired: Bool
        let isID: Bool
        let isOfModel: Bool
    }

    private func property(_ node: SchemaNode, _ place: PropertyPlace, _ scope: Scope) -> PropertyShape? {
        guard let name = propertyName(node, place), let typeName = SwiftName.upperCamel(name) else { return nil }
        checkMarks(node, place)
        guard let reading = type(of: node, typeName, scope) else { return nil }
        if reading.type.hasLostDate {
            findings.report("a dictionary has no dates: use texts, integers, or an object with properties", at: node)
            return nil
        }
        if place.isID { return id(node, name, reading, place) }
        let validation = reading.rules.validation(of: reading.type)
        if validation?.signature.isEmpty == false, reading.type.hasGroup { noteCheck(by: scope.root, at: node) }
        guard let initial = initialValue(reading) ?? (leniency == nil ? nil : (nil, ())) else { return nil }
        let isConstant = node.flag("x-modelcast-constant")
        // The default of one that may be null stands for an unknown field alone. A constant is never null.
        let mayBeNull = reading.isNullable && reading.constant == nil && reading.type != .value
        let isOptional = initial.value == nil ? !place.isRequired || reading.isNullable : mayBeNull
        return PropertyShape(
            name: name, wireName: place.key, type: reading.type, role: isConstant ? .constant : .variable,
            isOptional: isOptional, initialValue: initial.value,
            validation: validation, documentation: reading.documentation)
    }

    private func propertyName(_ node: SchemaNode, _ place: PropertyPlace) -> String? {
        let key = place.key
        let own = node.text("x-modelcast-name")
        let problem: String?
        if key.isEmpty || key.utf8.count > 128 {
            problem = "the name of a field has 1 to 128 bytes: give the property another one"
        } else if key.contains(".") {
            problem = "a dot stands between a group and its fields: put the property into an object, or rename it"
        } else if place.isOfModel, key == "id", !place.isID {
            problem = "id is the name of the id on the wire: give this property another one"
        } else {
            problem = nil
        }
        if let problem {
            findings.report(problem, at: node)
            return nil
        }
        if leniency != nil {
            let name = SwiftName.anyLowerCamel(own ?? key, "property")
            return name == "id" && !place.isID ? "idValue" : name
        }
        guard let name = own ?? SwiftName.lowerCamel(key), SwiftName.isIdentifier(name),
            !SwiftName.impossible.contains(name)
        else {
            findings.report(
                "no name of a property comes of \((own ?? key).literal): give it one with x-modelcast-name", at: node)
            return nil
        }
        if place.isOfModel, SwiftName.ofModel.contains(name) || name == "id" && !place.isID {
            findings.report("@Model needs the name \(name) itself: give another one with x-modelcast-name", at: node)
            return nil
        }
        return name
    }

    private func checkMarks(_ node: SchemaNode, _ place: PropertyPlace) {
        if !place.isOfModel {
            for key in ["x-modelcast-id", "x-modelcast-constant"] where node[key] != nil {
                findings.report("\(key) is for the properties of a model: take it out", at: node, key)
            }
        } else if node.flag("x-modelcast-id"), !place.isID {
            findings.report("a model has one id: take it out", at: node, "x-modelcast-id")
        } else if place.isID, node.flag("x-modelcast-constant") {
            findings.report("an id is constant anyway: take it out", at: node, "x-modelcast-constant")
        }
    }

    private func id(
        _ node: SchemaNode, _ name: String, _ reading: TypeReading, _ place: PropertyPlace
    ) -> PropertyShape? {
        let types: [SwiftType] = [.plain("String"), .plain("Int"), .plain("Int32"), .plain("Int64"), .uuid]
        let isChecked = !reading.rules.isEmpty || reading.constant != nil || reading.defaultValue != nil
        if isChecked, leniency != nil {
            findings.report("an id is taken as it is: bounds, const and default are left out", at: node)
        }
        let problem: String? =
            if !types.contains(reading.type) {
                "an id is text, an integer or a uuid: correct its type"
            } else if !place.isRequired || reading.isNullable {
                "each model has an id: add it to required, and take null out"
            } else if isChecked, leniency == nil {
                "an id is taken as it is: take bounds, const and default out"
            } else {
                nil
            }
        if let problem {
            findings.report(problem, at: node)
            return nil
        }
        return PropertyShape(
            name: name, wireName: place.key, type: reading.type, role: .id, isOptional: false,
            documentation: reading.documentation)
    }
}
