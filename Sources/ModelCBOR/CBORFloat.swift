/// Conversions between the three float widths of CBOR (RFC 8949, section 4.2.2: the shortest that keeps the value).
public enum CBORFloat {
    /// The value of a float item whose head is `head`; nil when it is not a float.
    public static func value(of head: CBORHead) -> Double? {
        guard head.major == .simple else { return nil }
        switch head.information {
        case 25: return double(half: UInt16(truncatingIfNeeded: head.argument))
        case 26: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: head.argument)))
        case 27: return Double(bitPattern: head.argument)
        default: return nil
        }
    }

    /// True when no narrower float holds the same value (every NaN counts as the half 0x7E00).
    public static func isShortest(_ head: CBORHead) -> Bool {
        // A double with one of the low 29 bits of the fraction set fits into no single, unless it is a NaN.
        let isNaN = head.argument & 0x7FF0_0000_0000_0000 == 0x7FF0_0000_0000_0000
        if head.information == 27, head.argument & 0x1FFF_FFFF != 0, !isNaN { return true }
        guard let value = value(of: head) else { return true }
        switch head.information {
        case 25: return !value.isNaN || head.argument == 0x7E00
        case 26: return half(value) == nil
        default: return single(value) == nil && half(value) == nil
        }
    }

    /// The single-precision bits of `value`, or nil if they would not keep it.
    static func single(_ value: Double) -> UInt32? {
        if value.isNaN { return nil }
        let narrow = Float(value)
        return Double(narrow) == value ? narrow.bitPattern : nil
    }

    /// The half-precision bits of `value`, or nil if they would not keep it.
    static func half(_ value: Double) -> UInt16? {
        if value.isNaN { return 0x7E00 }
        let bits = value.bitPattern
        let sign = UInt16(truncatingIfNeeded: bits >> 48) & 0x8000
        let exponent = Int(bits >> 52 & 0x7FF)
        let fraction = bits & 0xF_FFFF_FFFF_FFFF
        if exponent == 0x7FF { return sign | 0x7C00 }
        if exponent == 0 { return fraction == 0 ? sign : nil }
        let power = exponent - 1023
        if power >= -14, power <= 15 {
            guard fraction & ((1 << 42) - 1) == 0 else { return nil }
            return sign | UInt16(power + 15) << 10 | UInt16(truncatingIfNeeded: fraction >> 42)
        }
        guard power >= -24, power < -14 else { return nil }
        // Subnormal half: units of 2^-24.
        let significand = fraction | 1 << 52
        let shift = 52 - (power + 24)
        guard significand & ((1 << UInt64(shift)) - 1) == 0 else { return nil }
        return sign | UInt16(truncatingIfNeeded: significand >> UInt64(shift))
    }

    static func double(half bits: UInt16) -> Double {
        let sign: Double = bits & 0x8000 == 0 ? 1 : -1
        let exponent = Int(bits >> 10 & 0x1F)
        let fraction = Double(bits & 0x3FF)
        switch exponent {
        case 0: return sign * fraction * 0x1p-24
        case 31: return fraction == 0 ? sign * .infinity : .nan
        default: return sign * Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
        }
    }
}
