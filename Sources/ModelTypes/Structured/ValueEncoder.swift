import ModelRecord

/// A value that is being encoded.
final class ValueNode {
    private enum Content {
        case nothing
        case value(Value)
        case array([ValueNode])
        case map([String: ValueNode])
    }

    private var content = Content.nothing

    /// The value. A type that encodes nothing is an empty map.
    var value: Value {
        switch content {
        case .nothing: .map([:])
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.value))
        case .map(let nodes): .map(nodes.mapValues(\.value))
        }
    }

    /// The number of elements, if it is an array.
    var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

    func set(_ value: Value) { content = .value(value) }

    /// Becomes a map, if it is none.
    func becomeMap() { if case .map = content { return } else { content = .map([:]) } }

    /// Becomes an array, if it is none.
    func becomeArray() { if case .array = content { return } else { content = .array([]) } }

    /// The member of this map with a key, which is made if it is not there.
    func member(_ key: String) -> ValueNode {
        guard case .map(var nodes) = content else { return ValueNode() }
        let node = nodes[key] ?? ValueNode()
        content = .nothing
        nodes[key] = node
        content = .map(nodes)
        return node
    }

    /// A new last element of this array.
    func append() -> ValueNode {
        guard case .array(var nodes) = content else { return ValueNode() }
        let node = ValueNode()
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
        return node
    }

    /// Encodes a value here.
    /// - Throws: `EncodingError`, or what the type throws. The cause of an error of a ``FieldValue`` is its
    ///   ``FieldFault``.
    func encode<T: Encodable>(_ value: T, at path: [any CodingKey]) throws {
        guard let field = value as? any FieldValue else { return try value.encode(to: ValueEncoder(self, at: path)) }
        do {
            set(try field.encoded())
        } catch {
            let context = EncodingError.Context(
                codingPath: path + error.codingPath, debugDescription: error.description, underlyingError: error)
            throw EncodingError.invalidValue(value, context)
        }
    }
}

/// Encodes any `Encodable` type into a ``ValueNode``. A ``FieldValue`` is written as into a field: a `Date` as a
/// timestamp.
struct ValueEncoder: Encoder {
    private let node: ValueNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: ValueNode, at path: [any CodingKey] = []) { (self.node, codingPath) = (node, path) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedValueEncoder<Key>(node, at: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedValueEncoder(node, at: codingPath) }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.set(.null) }
    func encode<T: Encodable>(_ value: T) throws { try node.encode(value, at: codingPath) }
}

/// The members of a map.
private struct KeyedValueEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let node: ValueNode
    let codingPath: [any CodingKey]

    init(_ node: ValueNode, at path: [any CodingKey]) {
        (self.node, codingPath) = (node, path)
        node.becomeMap()
    }

    func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try node.member(key.stringValue).encode(value, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder(FieldCodingKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: any CodingKey) -> ValueEncoder {
        ValueEncoder(node.member(key.stringValue), at: codingPath + [key])
    }
}

/// The elements of an array.
private struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
    private let node: ValueNode
    let codingPath: [any CodingKey]

    init(_ node: ValueNode, at path: [any CodingKey]) {
        (self.node, codingPath) = (node, path)
        node.becomeArray()
    }

    var count: Int { node.count }

    func encodeNil() { node.append().set(.null) }

    func encode<T: Encodable>(_ value: T) throws {
        let path = path
        try node.append().encode(value, at: path)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }

    private var path: [any CodingKey] { codingPath + [FieldCodingKey(count)] }

    private func encoder() -> ValueEncoder {
        let path = path
        return ValueEncoder(node.append(), at: path)
    }
}
