import Foundation

/// Reads schemas that may refer to each other, and makes shapes of types from them.
final class SchemaReader {
    /// A type that is declared at the top level of the generated source.
    struct Definition {
        enum Kind { case model, group, enumeration, oneOf }

        let node: SchemaNode
        let kind: Kind
        let name: String
        let order: Int
    }

    let findings: ProblemCollector
    let directory: SchemaDirectory
    private let files: [LoadedFile]
    let leniency: Leniency?
    /// The definitions by the key of their nodes.
    private(set) var definitions: [String: Definition] = [:]
    private(set) var topLevelNames: Set<String> = []
    /// By the key of a variant: its properties that tell which variant it is.
    private(set) var tags: [String: Set<String>] = [:]
    /// By their keys: schemas that were made one of several, and those that are being made so.
    var mergedNodes: [String: SchemaNode] = [:]
    var merging: Set<String> = []
    /// The keys of the schemas that are being read and declare nothing, to notice one that is made of itself.
    var open: Set<String> = []
    /// The names of the definitions that are elements of arrays or dictionaries somewhere.
    var valueNames: Set<String> = []
    /// How many arrays and dictionaries are around the schema that is being read.
    var partDepth = 0
    /// By the key of a definition: the definitions whose fields it contains, each with the place that says so.
    private var uses: [String: [Use]] = [:]
    /// The properties whose check names the type of a struct, by the keys of the definitions around them.
    private var checked: [(root: String, node: SchemaNode)] = []

    /// A definition that another one contains.
    private struct Use {
        let target: String
        let node: SchemaNode
        /// An array or a dictionary stands between them, which may be empty.
        let isOptional: Bool
    }

    /// - Parameter leniency: what is known of schemas that have no form in Swift; nil where each is a problem.
    init(_ files: [LoadedFile], _ findings: ProblemCollector, _ leniency: Leniency? = nil) {
        (self.files, self.findings, self.leniency) = (files, findings, leniency)
        directory = SchemaDirectory(files)
        for file in files { define(in: file) }
        for file in files { defineTargets(in: file.node) }
        for file in files { findTags(file.node) }
    }

    // MARK: Definitions

    private func define(in file: LoadedFile) {
        guard file.root.object != nil else {
            return findings.report("a schema is an object, not \(file.root.kind)", at: file.node)
        }
        define(file.node, fallback: file.source.stem)
        for (key, node) in file.node.definitions { define(node, fallback: key) }
        checkRoot(file)
    }

    /// Defines what is referred to and stands in the middle of a schema.
    private func defineTargets(in node: SchemaNode) {
        for text in [node.text("$ref"), node.text("x-modelcast-reference")].compactMap(\.self) {
            guard case .found(let target) = directory.find(text, from: node), definitions[target.key] == nil,
                !target.pointer.tokens.isEmpty, target.value.object != nil
            else { continue }
            let words = target.pointer.tokens.filter { !Keywords.ofPlace.contains($0) && Int($0) == nil }
            define(target, fallback: words.last ?? target.file.source.stem)
        }
        for schema in node.subschemas { defineTargets(in: schema) }
    }

    /// Checks a root that is no definition.
    private func checkRoot(_ file: LoadedFile) {
        let root = merged(file.node)
        if definitions[root.key] != nil { return }
        let ofAlias = ["type", "$ref", "oneOf", "anyOf", "allOf", "const", "items", "additionalProperties"]
        let isAlias = ofAlias.contains { root[$0] != nil }
        // Much in the world begins with a root that only refers to its type, which is in $defs.
        let isReference = root["$ref"] != nil && !root.definitions.isEmpty
        if kind(of: root) == nil, root.definitions.isEmpty || isAlias && !isReference {
            findings.report(
                "the root declares nothing: give it properties, an enum or variants, and put all else in $defs",
                at: root)
        } else if kind(of: root) == nil, !isReference {
            findings.checkKeywords(of: root, Keywords.ofFile)
        }
    }

    private func define(_ node: SchemaNode, fallback: String) {
        if leniency?.isAnyValue(node) ?? false { return }
        let node = merged(node)
        guard let kind = kind(of: node), var name = typeName(of: node, fallback: fallback) else { return }
        if leniency != nil {
            name = SwiftName.free(name) { !SwiftName.takenTypes.contains($0) && !topLevelNames.contains($0) }
        } else if SwiftName.takenTypes.contains(name) {
            findings.report("\(name) is a type already: give it another name with x-modelcast-name", at: node)
        }
        if !topLevelNames.insert(name).inserted {
            let other = definitions.values.filter { $0.name == name }.map(\.node.key).min() ?? ""
            findings.report(
                "\(name) is what \(other) is called already: give one of them another name with x-modelcast-name",
                at: node)
        }
        definitions[node.key] = Definition(node: node, kind: kind, name: name, order: definitions.count)
    }

    /// The kind of type that a schema declares; nil for a schema that declares none, as an alias.
    private func kind(of node: SchemaNode) -> Definition.Kind? {
        if node["$ref"] != nil || node["x-modelcast-reference"] != nil { return nil }
        if node.wrapped != nil { return nil }
        if node["oneOf"] != nil {
            return !node.variants.isEmpty && node.variants.allSatisfy(\.isConstantText) ? .enumeration : .oneOf
        }
        if node["enum"] != nil || node.text("const") != nil { return .enumeration }
        guard node["properties"] != nil else { return nil }
        let isModel = node.pointer.tokens.isEmpty && node.idKey != nil && !(leniency?.hasNoID(node) ?? false)
        return isModel ? .model : .group
    }

    private func typeName(of node: SchemaNode, fallback: String) -> String? {
        if let own = node.text("x-modelcast-name") {
            if SwiftName.isIdentifier(own), SwiftName.escaped(own) == own { return own }
            findings.report("\(own.literal) is no name of a type in Swift", at: node, "x-modelcast-name")
            return nil
        }
        if let name = node.text("title").flatMap(SwiftName.upperCamel) ?? SwiftName.upperCamel(fallback) { return name }
        if leniency != nil { return SwiftName.upperCamel("type " + fallback) ?? "Unnamed" }
        findings.report("no name of a type comes of its title or key: give it one with x-modelcast-name", at: node)
        return nil
    }

    /// The types that one file declares, in the order of its text.
    func types(of file: LoadedFile) -> [TypeShape] {
        if file.root.object != nil {
            for (_, node) in file.node.definitions where definitions[node.key] == nil { checkAlias(node) }
        }
        return definitions.values.filter { $0.node.file === file }.sorted { $0.order < $1.order }.compactMap(type(of:))
    }

    private func type(of definition: Definition) -> TypeShape? {
        let node = definition.node
        let scope = Scope(definition.name, root: node.key)
        // A variant with a tag and no other property is a case without a payload, and needs no struct.
        if definition.kind == .group, isEmptyVariant(node) { return nil }
        return orAnyValue(node) {
            switch definition.kind {
            case .model, .group:
                structure(node, scope, isModel: definition.kind == .model).map(TypeShape.structure)
            case .enumeration: enumeration(node, definition.name).map(TypeShape.enumeration)
            case .oneOf: oneOf(node, scope).map(TypeShape.oneOf)
            }
        }
    }

    /// Reads something. Where it cannot be read, and nothing within it is to blame alone, it is any value from now on
    /// if the run is lenient.
    func orAnyValue<Result>(_ node: SchemaNode, _ read: () -> Result?) -> Result? {
        guard let leniency else { return read() }
        let count = leniency.count
        let result = read()
        if result == nil, leniency.count == count { leniency.takeAsAnyValue(node) }
        return result
    }

    /// A type of the top level, of which all uses are known: a struct that is one value is marked as such.
    func withValues(_ type: TypeShape) -> TypeShape {
        guard case .structure(var shape) = type, valueNames.contains(shape.name) else { return type }
        shape.isValue = true
        return .structure(shape)
    }

    /// Reads an alias for its problems, which are reported also where nothing refers to it.
    private func checkAlias(_ node: SchemaNode) {
        _ = type(of: node, "Unnamed", Scope("Unnamed", root: node.key))
    }

    func access(of file: LoadedFile) -> GeneratedAccess? {
        guard let text = file.node.text("x-modelcast-access") else { return nil }
        let access = GeneratedAccess(rawValue: text)
        if access == nil {
            findings.report("\(text.literal) is not public, package or internal", at: file.node, "x-modelcast-access")
        }
        return access
    }

    /// The modules that the schema asks for.
    func imports(of file: LoadedFile) -> [String] {
        guard let node = file.node["x-modelcast-imports"] else { return [] }
        let names = node.value.array?.compactMap(\.text).filter(SwiftName.isIdentifier) ?? []
        if names.count != node.value.array?.count {
            findings.report("x-modelcast-imports is an array of names of modules", at: node)
        }
        return names
    }

    // MARK: Tags of variants

    /// Looks for sum types at any depth, and notes the tags of their variants.
    private func findTags(_ node: SchemaNode) {
        for schema in node.subschemas { findTags(schema) }
        guard node.value.object != nil, node["oneOf"]?.value.array != nil, let tag = tag(of: node) else { return }
        for variant in node.variants where variant["$ref"] != nil {
            if let target = target(of: variant) { tags[target.key, default: []].insert(tag) }
        }
    }

    /// The property that tells which variant an object is: every object has it, as a constant with a value of its own.
    func tag(of node: SchemaNode) -> String? {
        if let named = node["discriminator"]?.text("propertyName") { return named }
        let objects = node.variants.compactMap(target(of:)).filter {
            $0["properties"] != nil && definition(of: $0)?.kind != .model
        }
        guard let first = objects.first else { return nil }
        return first.constants.first { candidate in
            let values = objects.compactMap { $0["properties"]?[candidate]?.text("const") }
            return values.count == objects.count && Set(values).count == values.count
        }
    }

    /// True for a variant that has no property besides its tags.
    func isEmptyVariant(_ node: SchemaNode) -> Bool {
        guard let tags = tags[node.key], let properties = node["properties"] else { return false }
        return properties.object.keys.allSatisfy(tags.contains)
    }

    // MARK: Recursion

    /// Notes that a definition contains another one.
    func noteUse(of target: String, by root: String, at node: SchemaNode) {
        uses[root, default: []].append(Use(target: target, node: node, isOptional: partDepth > 0))
    }

    /// Notes a property whose check names the type of a struct.
    func noteCheck(by root: String, at node: SchemaNode) { checked.append((root, node)) }

    /// Reports structs that contain themselves without an array between, and so would have no end. Reports checks in
    /// structs that contain themselves: the compiler cannot look at `@Field` there, as its argument names the struct
    /// that the attribute is needed for.
    func checkRecursion() {
        for (key, definition) in definitions.sorted(by: { $0.value.order < $1.value.order }) {
            for use in uses[key] ?? [] where !use.isOptional && reaches(key, from: use.target, isAlways: true) {
                leniency?.takeAsAnyValue(use.node)
                findings.report(
                    "\(definition.name) within itself would have fields without end: put it into an array, or make it "
                        + "a model of its own, with an id, which is then referred to", at: use.node)
            }
        }
        for (root, node) in checked where (uses[root] ?? []).contains(where: { reaches(root, from: $0.target) }) {
            leniency?.takeAsAnyValue(node)
            findings.report("arrays in arrays of a struct within itself are not checked: take the bounds out", at: node)
        }
    }

    /// True when a definition contains another one.
    /// - Parameter isAlways: without an array or a dictionary between them.
    private func reaches(_ goal: String, from start: String, isAlways: Bool = false) -> Bool {
        var seen: Set = [start]
        var open = [start]
        while let key = open.popLast() {
            if key == goal { return true }
            for use in uses[key] ?? [] where !isAlways || !use.isOptional {
                if seen.insert(use.target).inserted { open.append(use.target) }
            }
        }
        return false
    }
}

/// The type in which inline types are declared.
final class Scope {
    /// The name of the type.
    let owner: String
    /// The key of the outermost definition around the type.
    let root: String
    /// The names of the types around it, and its own.
    private let enclosing: [String]
    private(set) var nested: [TypeShape] = []
    private var names: Set<String> = []

    init(_ owner: String, root: String) { (self.owner, self.root, enclosing) = (owner, root, [owner]) }

    private init(_ owner: String, within scope: Scope) {
        (self.owner, root, enclosing) = (owner, scope.root, scope.enclosing + [owner])
    }

    func inner(_ owner: String) -> Scope { Scope(owner, within: self) }

    /// Takes a name for an inline type.
    /// - Returns: false if a type around it, or another one in this scope, has the name.
    func take(_ name: String) -> Bool { !enclosing.contains(name) && names.insert(name).inserted }

    /// Whether a name is not free.
    func has(_ name: String) -> Bool { enclosing.contains(name) || names.contains(name) }

    func declare(_ type: TypeShape) { nested.append(type) }

    /// Makes a struct that was declared here one value.
    func makeValue(_ name: String) {
        for place in nested.indices {
            guard case .structure(var shape) = nested[place], shape.name == name else { continue }
            shape.isValue = true
            nested[place] = .structure(shape)
        }
    }
}

extension SchemaNode {
    /// The keys of the properties that are a constant text.
    fileprivate var constants: [String] {
        (self["properties"]?.members ?? []).filter { $0.node.text("const") != nil }.map(\.key)
    }

    /// True for a schema that allows one text only.
    var isConstantText: Bool { text("const") != nil && self["properties"] == nil }

    /// The key of the property that is the id of a model.
    var idKey: String? {
        let members = self["properties"]?.members ?? []
        return (members.first { $0.node.flag("x-modelcast-id") } ?? members.first { $0.key == "id" })?.key
    }
}
