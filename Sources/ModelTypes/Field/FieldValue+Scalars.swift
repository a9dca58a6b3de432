public import ModelRecord

extension Bool: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        guard let bool = value.boolValue else { throw FieldFault(value, wanted: "a Boolean") }
        self = bool
    }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Bool {
        if let bool = cursor.bool { return bool }
        return try Bool(cursor.value ?? .null)
    }

    public func encoded() throws(FieldFault) -> Value { .bool(self) }
}

extension String: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        guard let text = value.textValue else { throw FieldFault(value, wanted: "text") }
        self = text
    }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> String {
        if let text = cursor.text { return text }
        return try String(cursor.value ?? .null)
    }

    public func encoded() throws(FieldFault) -> Value { .text(self) }
}

/// Integers of every width. An integer that does not fit is a fault, never truncated.
extension FieldValue where Self: FixedWidthInteger {
    public init(_ value: Value) throws(FieldFault) {
        guard let wide = value.intValue else { throw FieldFault(value, wanted: "an integer") }
        self = try Self.narrow(wide)
    }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Self {
        guard let wide = cursor.int else { return try Self(cursor.value ?? .null) }
        return try narrow(wide)
    }

    public func encoded() throws(FieldFault) -> Value {
        guard let wide = Int64(exactly: self) else {
            throw FieldFault(
                .range, wanted: "an integer of 64 signed bits, which is what travels", value: .text("\(self)"))
        }
        return .int(wide)
    }

    private static func narrow(_ wide: Int64) throws(FieldFault) -> Self {
        guard let narrow = Self(exactly: wide) else {
            throw FieldFault(.range, wanted: "an integer from \(Self.min) to \(Self.max)", value: .int(wide))
        }
        return narrow
    }
}

extension Int: FieldValue {}
extension Int8: FieldValue {}
extension Int16: FieldValue {}
extension Int32: FieldValue {}
extension Int64: FieldValue {}
extension UInt: FieldValue {}
extension UInt8: FieldValue {}
extension UInt16: FieldValue {}
extension UInt32: FieldValue {}
extension UInt64: FieldValue {}

/// Doubles, and integers that the type can hold exactly: a publisher may write 3 for 3.0.
extension FieldValue where Self: BinaryFloatingPoint {
    public init(_ value: Value) throws(FieldFault) {
        switch value {
        case .double(let double): self = try Self.narrow(double)
        case .int(let whole):
            guard let exact = Self(exactly: whole) else {
                throw FieldFault(.range, wanted: "a number that \(Self.self) holds exactly", value: value)
            }
            self = exact
        default: throw FieldFault(value, wanted: "a number")
        }
    }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Self {
        guard let double = cursor.double else { return try Self(cursor.value ?? .null) }
        return try narrow(double)
    }

    public func encoded() throws(FieldFault) -> Value { .double(Double(self)) }

    /// Rounds as Swift's own initialiser does. A number beyond the type's range is a fault.
    private static func narrow(_ double: Double) throws(FieldFault) -> Self {
        let narrow = Self(double)
        guard narrow.isFinite || !double.isFinite else {
            throw FieldFault(.range, wanted: "a number in the range of \(Self.self)", value: .double(double))
        }
        return narrow
    }
}

extension Double: FieldValue {}
extension Float: FieldValue {}
