/// The major types of RFC 8949, section 3.1.
public enum CBORMajor: UInt8, Sendable {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    /// Simple values and floating-point numbers.
    case simple = 7

    /// The major type of an item that begins with this byte.
    @inlinable @inline(__always) init(initialByte: UInt8) {
        self =
            switch initialByte >> 5 {
            case 0: .unsigned
            case 1: .negative
            case 2: .bytes
            case 3: .text
            case 4: .array
            case 5: .map
            case 6: .tag
            default: .simple
            }
    }
}
