/// The conversion of a Swift value to the bytes of a libzmq option, and back; nil where the value is out of range.
package struct OptionCoding<Value: Sendable & Equatable>: Sendable {
    /// The size of the buffer for reading, in bytes. libzmq demands the exact size for numbers and keys.
    let byteCountMax: Int
    let encode: @Sendable (Value) -> [UInt8]?
    let decode: @Sendable ([UInt8]) -> Value?
    /// Values of a secret option stay out of error texts.
    var isSecret = false
    /// Values that must be read back as they were set, for the test of the options.
    package let samples: [Value]
}

/// The native bytes of an integer.
private func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number.littleEndian >> ($0 * 8)) }
}

private func number<Number: FixedWidthInteger>(_ bytes: [UInt8], as type: Number.Type) -> Number? {
    guard bytes.count == Number.bitWidth / 8 else { return nil }
    return bytes.reversed().reduce(Number.zero) { $0 << 8 | Number(truncatingIfNeeded: $1) }
}

extension OptionCoding {
    /// A value that libzmq keeps as one C number.
    static func number<Number: FixedWidthInteger & Sendable>(
        _ type: Number.Type, samples: [Value],
        encode: @escaping @Sendable (Value) -> Number?, decode: @escaping @Sendable (Number) -> Value?
    ) -> Self {
        Self(
            byteCountMax: Number.bitWidth / 8,
            encode: { encode($0).map { bytes($0) } },
            decode: { ZeroMQ.number($0, as: Number.self).flatMap(decode) },
            samples: samples)
    }
}

extension OptionCoding where Value == Int {
    /// A number that is not negative. The option decides what zero means.
    static let count = number(
        CInt.self, samples: [0, 1, 5_000], encode: { $0 < 0 ? nil : CInt(exactly: $0) }, decode: { Int($0) })
}

extension OptionCoding where Value == Int? {
    /// A number, or nil for the system's default or for no limit.
    static let optionalCount = number(
        CInt.self, samples: [nil, 1, 65_536],
        encode: { $0.map { $0 < 0 ? nil : CInt(exactly: $0) } ?? -1 }, decode: { .some($0 < 0 ? nil : Int($0)) })

    /// The same in 64 bits.
    static let optionalLongCount = number(
        Int64.self, samples: [nil, 1, 1 << 40],
        encode: { $0.map { $0 < 0 ? nil : Int64($0) } ?? -1 }, decode: { .some($0 < 0 ? nil : Int($0)) })
}

extension OptionCoding where Value == UInt64 {
    static let mask = number(UInt64.self, samples: [0, 1], encode: { $0 }, decode: { $0 })
}

extension OptionCoding where Value == CInt {
    static let descriptor = number(CInt.self, samples: [], encode: { $0 }, decode: { $0 })
}

extension OptionCoding where Value == Bool {
    static let flag = number(
        CInt.self, samples: [true, false], encode: { $0 ? 1 : 0 }, decode: { $0 == 0 ? false : true })
}

extension OptionCoding where Value == Bool? {
    /// On, off, or nil for the system's default.
    static let optionalFlag = number(
        CInt.self, samples: [true, false, nil],
        encode: { $0.map { $0 ? 1 : 0 } ?? -1 }, decode: { .some($0 < 0 ? nil : $0 != 0) })
}

extension OptionCoding where Value == Duration {
    static let milliseconds = number(
        CInt.self, samples: [.zero, .milliseconds(1), .seconds(30)],
        encode: { $0.wholeUnits(of: .milliseconds(1)) }, decode: { $0 < 0 ? nil : .milliseconds($0) })
}

extension OptionCoding where Value == Duration? {
    /// A duration, or nil for the meaning that the option gives to -1.
    static let optionalMilliseconds = optional(unit: .milliseconds(1))
    static let optionalSeconds = optional(unit: .seconds(1))

    private static func optional(unit: Duration) -> Self {
        number(
            CInt.self, samples: [nil, unit, unit * 30],
            encode: { $0.map { $0.wholeUnits(of: unit) } ?? -1 }, decode: { .some($0 < 0 ? nil : unit * Int($0)) })
    }
}

extension Duration {
    /// How many units cover this duration: rounded up, so that a short duration never becomes zero. Nil when it is
    /// negative or too long.
    func wholeUnits(of unit: Duration) -> CInt? {
        guard self >= .zero, self <= unit * Int(CInt.max) else { return nil }
        let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000
        let attoseconds = Int128(components.seconds) * attosecondsPerSecond + Int128(components.attoseconds)
        let unitAttoseconds =
            Int128(unit.components.seconds) * attosecondsPerSecond + Int128(unit.components.attoseconds)
        return CInt((attoseconds + unitAttoseconds - 1) / unitAttoseconds)
    }
}

extension OptionCoding where Value == [UInt8] {
    /// 1 to 255 bytes that do not begin with zero, which libzmq keeps for its own routing ids.
    static let routingID = Self(
        byteCountMax: 255,
        encode: { (1...255).contains($0.count) && $0.first != 0 ? $0 : nil },
        decode: { $0 },
        samples: [[1], Array(1...255)])
}

extension OptionCoding where Value == String {
    /// A text. When it is read, libzmq ends it with a NUL.
    static let text = Self(
        byteCountMax: 1024,
        encode: { $0.utf8.contains(0) ? nil : Array($0.utf8) },
        decode: { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) },
        samples: ["modelcast", "a"])
}

extension OptionCoding where Value == Socket.Kind {
    static let kind = number(
        CInt.self, samples: [], encode: { $0.rawValue }, decode: { Socket.Kind(rawValue: $0) })
}

extension OptionCoding where Value == Socket.Events {
    static let events = number(
        CInt.self, samples: [], encode: { CInt($0.rawValue) }, decode: { Socket.Events(rawValue: Int16($0)) })
}

extension OptionCoding where Value == Curve.PublicKey {
    static let publicKey = Self(
        byteCountMax: Curve.keyByteCount, encode: { $0.bytes }, decode: { Curve.PublicKey(bytes: $0) },
        samples: [Curve.PublicKey(bytes: Array(1...32))].compactMap { $0 })
}

extension OptionCoding where Value == Curve.SecretKey {
    static let secretKey = Self(
        byteCountMax: Curve.keyByteCount, encode: { $0.bytes }, decode: { Curve.SecretKey(bytes: $0) },
        isSecret: true, samples: [Curve.SecretKey(bytes: Array(1...32))].compactMap { $0 })
}
