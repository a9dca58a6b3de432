/// The major types of RFC 8949, section 3.1.
public enum CBORMajor: UInt8, Sendable {
    /// An integer from 0 on.
    case unsigned = 0
    /// A negative integer: -1 minus the argument.
    case negative = 1
    /// A byte string.
    case bytes = 2
    /// A text in UTF-8.
    case text = 3
    /// An array of items.
    case array = 4
    /// A map: pairs of a key and a value.
    case map = 5
    /// A tag, which gives a meaning to the one item that follows.
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
