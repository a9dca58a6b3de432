/// References from one schema to another.
extension SchemaReader {
    /// The schema that a reference points to; nil after a problem, which is reported.
    func resolve(_ text: String, at node: SchemaNode, _ key: String = "$ref") -> SchemaNode? {
        switch directory.find(text, from: node) {
        case .found(let target): return merged(target)
        case .noFile(let name):
            findings.report("\(name) is not among the schemas: name it on the command line, too", at: node, key)
        case .noPlace:
            findings.report("there is no \(text): put the schema there, or correct the reference", at: node, key)
        case .noName:
            findings.report(
                "there is no $anchor of this name: refer to a file, to #/$defs/NAME, or to an $anchor", at: node, key)
        }
        return nil
    }

    /// The schema that `$ref` of a node points to; the node itself where it has no `$ref`.
    func target(of node: SchemaNode) -> SchemaNode? {
        guard let text = node.text("$ref"), node["properties"] == nil else { return merged(node) }
        return resolve(text, at: node)
    }

    func definition(of node: SchemaNode) -> Definition? { definitions[node.key] }
}
