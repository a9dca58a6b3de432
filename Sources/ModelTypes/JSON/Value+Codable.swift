public import ModelRecord

#if canImport(FoundationEssentials)
    import struct FoundationEssentials.Data
#else
    import struct Foundation.Data
#endif

/// Values as plain JSON, or in other formats of `Codable`.
///
/// JSON has fewer types, so some values are read back as others: a URI and a UUID as text, a timestamp as a number, a
/// double without a fraction as an integer. Bytes and foreign tags are objects with keys that begin with `$`, as
/// `modelcast` prints them.
extension Value: Codable {
    private enum Special: String, CodingKey {
        case bytes = "$bytes"
        case tag = "$tag"
        case cbor = "$cbor"
    }

    public init(from decoder: any Decoder) throws {
        // An object with other keys beside is a map, of which nothing may be lost.
        if let special = try? decoder.container(keyedBy: Special.self), !special.allKeys.isEmpty,
            try decoder.container(keyedBy: FieldCodingKey.self).allKeys.count == special.allKeys.count,
            let value = try Value.special(special)
        {
            self = value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Value].self) {
            self = .array(value)
        } else {
            self = .map(try container.decode([String: Value].self))
        }
    }

    private static func special(_ container: KeyedDecodingContainer<Special>) throws -> Value? {
        if let data = try container.decodeIfPresent(Data.self, forKey: .bytes) { return .bytes(Array(data)) }
        guard let tag = try container.decodeIfPresent(UInt64.self, forKey: .tag) else { return nil }
        return .tagged(tag, encoded: Array(try container.decode(Data.self, forKey: .cbor)))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .bytes(let bytes):
            var container = encoder.container(keyedBy: Special.self)
            return try container.encode(Data(bytes), forKey: .bytes)
        case .tagged(let tag, let encoded):
            var container = encoder.container(keyedBy: Special.self)
            try container.encode(tag, forKey: .tag)
            return try container.encode(Data(encoded), forKey: .cbor)
        default: break
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value), .timestamp(let value): try container.encode(value)
        case .text(let value), .uri(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .map(let values): try container.encode(values)
        case .null, .undefined, .bytes, .tagged: try container.encodeNil()
        }
    }
}
