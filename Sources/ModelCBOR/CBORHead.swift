/// The head of one item: its major type, additional information and argument.
@frozen public struct CBORHead: Equatable, Sendable {
    /// The type of the item.
    public let major: CBORMajor
    /// The low five bits of the initial byte: 31 is an indefinite length (or a break, for ``CBORMajor/simple``).
    public let information: UInt8
    /// The value, length, count, tag or bit pattern that follows the initial byte; 0 for an indefinite length.
    public let argument: UInt64

    /// The size of the longest head.
    @inlinable public static var byteCountMax: Int { 9 }

    /// The size of the shortest head with this argument.
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

    /// True when the length is not told in advance: the item ends at a break.
    @inlinable public var isIndefinite: Bool { information == 31 }

    /// True when the argument is written in the fewest bytes that hold it. For floats, ask
    /// ``CBORFloat/isShortest(_:)``.
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
