import ModelRecord

/// Reads the properties of a struct from a map: the reverse of ``MapSink``.
struct MapSource: FieldSource {
    private let map: [String: Value]

    var isWhole: Bool { true }

    init(_ map: [String: Value]) { self.map = map }

    mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        guard let value = map[name.text] else {
            return name.text.utf8.contains(UInt8(ascii: ".")) ? withPaths.state(name, as: type) : .unknown
        }
        if value.isNull { return .null }
        do { return .value(try T(value)) } catch { return .faulty(error) }
    }

    mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        var source = withPaths
        return source.groupState(name, as: type)
    }

    /// The same map for what has the form of JSON: groups, and names with dots.
    private var withPaths: FieldDecoder {
        FieldDecoder(KeyedDecodingContainer(KeyedValueDecoder<FieldCodingKey>(map, at: []))).whole
    }
}
