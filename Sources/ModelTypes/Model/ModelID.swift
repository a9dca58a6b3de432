#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.UUID
#else
    public import struct Foundation.UUID
#endif

/// The type of a model's id: `String`, `UUID`, an integer, or a type of your own.
///
/// An id travels as text. Each id has one text, and each text at most one id: otherwise two spellings would be one
/// model in one process and two models in another.
public protocol ModelID: Hashable, Sendable, Codable {
    /// The id of this text, if there is one. A text that is not the ``idText`` of any id may be accepted or refused.
    init?(idText: String)
    /// The text that travels: 1 to 255 bytes of UTF-8 without NUL.
    var idText: String { get }
}

extension ModelID {
    /// The id whose ``idText`` is exactly `text`.
    package init?(exactly text: String) {
        self.init(idText: text)
        guard idText.utf8.elementsEqual(text.utf8) else { return nil }
    }
}

extension String: ModelID {
    public init?(idText: String) { self = idText }
    public var idText: String { self }
}

/// A UUID is written in capital letters, as Foundation does. The same UUID in small letters is another text, so it is
/// not the id of this UUID. A publisher that writes ids as text uses `uuid.uuidString`.
extension UUID: ModelID {
    public init?(idText: String) { self.init(uuidString: idText) }

    /// The same as `uuidString`, at a fifth of the cost.
    public var idText: String {
        let bytes = uuid
        let all = [
            bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9, bytes.10,
            bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
        ]
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (place, byte) in all.enumerated() {
            if place == 4 || place == 6 || place == 8 || place == 10 { text.append(UInt8(ascii: "-")) }
            text.append(UUID.digit(byte >> 4))
            text.append(UUID.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ half: UInt8) -> UInt8 {
        half < 10 ? half + UInt8(ascii: "0") : half - 10 + UInt8(ascii: "A")
    }
}

/// Integers are written in decimal digits.
extension ModelID where Self: FixedWidthInteger {
    public init?(idText: String) { self.init(idText) }
    public var idText: String { description }
}

extension Int: ModelID {}
extension Int32: ModelID {}
extension Int64: ModelID {}
extension UInt: ModelID {}
extension UInt32: ModelID {}
extension UInt64: ModelID {}

/// An id type of your own around one of these: `struct UserID: ModelID, RawRepresentable { let rawValue: UUID }`.
extension ModelID where Self: RawRepresentable, RawValue: ModelID {
    public init?(idText: String) {
        guard let raw = RawValue(idText: idText) else { return nil }
        self.init(rawValue: raw)
    }

    public var idText: String { rawValue.idText }
}

/// In JSON such an id is its text, as one around a text or an integer is by the standard library.
extension ModelID where Self: RawRepresentable, RawValue == UUID {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(rawValue: try container.decode(UUID.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the UUID is no \(Self.self)")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
