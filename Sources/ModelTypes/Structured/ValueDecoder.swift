import ModelRecord

/// Decodes any `Decodable` type from a ``Value``. A ``FieldValue`` is read as from a field: a `Date` from a timestamp.
struct ValueDecoder: Decoder {
    private let value: Value
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(_ value: Value, at path: [any CodingKey]) { (self.value, codingPath) = (value, path) }

    /// Decodes a value.
    /// - Throws: `DecodingError`, or what the type throws. The cause of an error of a ``FieldValue`` is its
    ///   ``FieldFault``.
    static func decode<T: Decodable>(_ type: T.Type, _ value: Value, at path: [any CodingKey]) throws -> T {
        guard let kind = type as? any FieldValue.Type else { return try T(from: ValueDecoder(value, at: path)) }
        do {
            if let result = try kind.init(value) as? T { return result }
        } catch {
            throw DecodingError(error, of: type, path)
        }
        return try T(from: ValueDecoder(value, at: path))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .map(let map) = value else { throw mismatch("a map", [String: Value].self) }
        return KeyedDecodingContainer(KeyedValueDecoder<Key>(map, at: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw mismatch("an array", [Value].self) }
        return UnkeyedValueDecoder(values, at: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    static func decoder(_ value: Value, at path: [any CodingKey]) -> ValueDecoder { ValueDecoder(value, at: path) }

    private func mismatch(_ wanted: String, _ type: Any.Type) -> DecodingError {
        DecodingError(FieldFault(value, wanted: wanted), of: type, codingPath)
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try ValueDecoder.decode(type, value, at: codingPath) }
}

/// The members of a map.
struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let map: [String: Value]
    let codingPath: [any CodingKey]

    init(_ map: [String: Value], at path: [any CodingKey]) { (self.map, codingPath) = (map, path) }

    var allKeys: [Key] { map.keys.compactMap(Key.init(stringValue:)) }
    func contains(_ key: Key) -> Bool { map[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try ValueDecoder.decode(type, value(key), at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key, value(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key, value(key)).unkeyedContainer()
    }

    func superDecoder() -> any Decoder {
        let key = FieldCodingKey("super")
        return decoder(key, map[key.stringValue] ?? .null)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder(key, map[key.stringValue] ?? .null) }

    private func decoder(_ key: any CodingKey, _ value: Value) -> ValueDecoder {
        .decoder(value, at: codingPath + [key])
    }

    private func value(_ key: Key) throws -> Value {
        if let value = map[key.stringValue] { return value }
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "\(key.stringValue) is unknown")
        throw DecodingError.keyNotFound(key, context)
    }
}

/// The elements of an array.
private struct UnkeyedValueDecoder: UnkeyedDecodingContainer {
    private let values: [Value]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(_ values: [Value], at path: [any CodingKey]) { (self.values, codingPath) = (values, path) }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    mutating func decodeNil() throws -> Bool {
        guard try next(Value?.self).isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try ValueDecoder.decode(type, next(type), at: path)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = ValueDecoder.decoder(try next(Value.self), at: path)
        currentIndex += 1
        return decoder
    }

    private var path: [any CodingKey] { codingPath + [FieldCodingKey(currentIndex)] }

    private func next(_ type: Any.Type) throws -> Value {
        if !isAtEnd { return values[currentIndex] }
        throw DecodingError.valueNotFound(
            type, DecodingError.Context(codingPath: path, debugDescription: "the array ends here"))
    }
}
