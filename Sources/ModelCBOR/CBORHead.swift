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

/// The head of one item: its major type, additional information and argument.
@frozen public struct CBORHead: Equatable, Sendable {
    /// The type of the item.
    public let major: CBORMajor
    /// The low five bits of the initial byte: 31 is an indefinite length (or a break, for ``CBORMajor/simple``).
    public let information: UInt8
    /// The value, length, count, tag or bit pattern that follows the initial byte; 0 for an indefinite length.
    public let argument: UInt64

    /// What a head takes at most.
    @inlinable public static var byteCountMax: Int { 9 }

    /// What the shortest head with this argument takes.
    @inlinable public static func byteCount(of argument: Int) -> Int {
        switch argument {
        case ..<24: 1
        case ...0xFF: 2
        case ...0xFFFF: 3
        case ...0xFFFF_FFFF: 5
        default: 9
        }
    }

    @inlinable init(major: CBORMajor, information: UInt8, argument: UInt64) {
        self.major = major
        self.information = information
        self.argument = argument
    }

    /// The item's length is not told in advance: it ends at a break.
    @inlinable public var isIndefinite: Bool { information == 31 }

    /// The argument is written in the fewest bytes that hold it. Floats are judged by ``CBORReader`` instead.
    @inlinable public var isShortest: Bool {
        switch information {
        case 24: argument >= 24
        case 25: argument > 0xFF
        case 26: argument > 0xFFFF
        case 27: argument > 0xFFFF_FFFF
        default: true
        }
    }
}

/// Simple values and tags that Modelcast gives a meaning.
public enum CBORConstant {
    public static let falseByte: UInt8 = 0xF4
    public static let trueByte: UInt8 = 0xF5
    public static let nullByte: UInt8 = 0xF6
    public static let undefinedByte: UInt8 = 0xF7
    public static let breakByte: UInt8 = 0xFF
    public static let timestampTag: UInt64 = 1
    public static let uriTag: UInt64 = 32
    public static let uuidTag: UInt64 = 37
}
