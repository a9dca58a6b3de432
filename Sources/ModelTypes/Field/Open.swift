public import ModelRecord

/// A case of an enum, or a raw value for which this program knows no case. Such a raw value is kept and published
/// unchanged.
///
/// ```swift
/// switch user.colour {
/// case .known(.red): …
/// case .unknown(let raw): logger.info("a new colour", metadata: ["colour": "\(raw)"])
/// …
/// ```
public enum Open<Known>: FieldValue
where Known: RawRepresentable & Hashable & Sendable, Known.RawValue: FieldValue {
    /// A case that this program knows.
    case known(Known)
    /// A raw value for which this program knows no case.
    case unknown(Known.RawValue)

    /// The case with this raw value, if there is one.
    public init(rawValue: Known.RawValue) {
        self = Known(rawValue: rawValue).map { .known($0) } ?? .unknown(rawValue)
    }

    public init(_ value: Value) throws(FieldFault) { self.init(rawValue: try Known.RawValue(value)) }

    public init(from decoder: any Decoder) throws { self.init(rawValue: try Known.RawValue(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Open {
        Open(rawValue: try Known.RawValue.read(cursor))
    }

    public func encoded() throws(FieldFault) -> Value { try rawValue.encoded() }

    /// The raw value, with or without a case.
    public var rawValue: Known.RawValue {
        switch self {
        case .known(let known): known.rawValue
        case .unknown(let raw): raw
        }
    }

    /// The case, if there is one.
    public var known: Known? { if case .known(let known) = self { known } else { nil } }
}
