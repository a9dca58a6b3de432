import ModelRecord

/// Writes the properties of a struct into a map: the reverse of ``MapSource``.
struct MapSink: FieldSink {
    private var map: [String: Value] = [:]
    /// The part in the form of JSON: groups, and names with dots. Begun with the first of them.
    private var withPaths: (node: ValueNode, sink: FieldEncoder)?
    var problem: FieldProblem?

    mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        guard name.utf8.contains(UInt8(ascii: ".")) else {
            do { map[name] = try value.encoded() } catch { throw FieldProblem(name, error) }
            return
        }
        try withPaths { sink throws(FieldProblem) in try sink.write(name, value) }
    }

    mutating func writeGroup<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        try withPaths { sink throws(FieldProblem) in try sink.writeGroup(name, value) }
    }

    private mutating func withPaths(
        _ body: (inout FieldEncoder) throws(FieldProblem) -> Void
    ) throws(FieldProblem) {
        let node = withPaths?.node ?? ValueNode()
        var sink = withPaths?.sink ?? FieldEncoder(ValueEncoder(node).container(keyedBy: FieldCodingKey.self))
        defer { withPaths = (node, sink) }
        try body(&sink)
    }

    /// The map of all that was written.
    func finish() -> [String: Value] {
        guard case .map(let more)? = withPaths?.node.value else { return map }
        return map.merging(more) { $1 }
    }
}
